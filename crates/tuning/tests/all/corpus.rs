//! Every file of the corpus is a table or refused with its line.

use kforge_tuning::{Scope, audit, read};

#[test]
fn every_file_is_read_or_refused_with_its_line() {
    let Some(corpus) = kforge_testkit::corpus("tuned tables") else { return };
    let (mut tables, mut refused) = (0, 0);
    for folder in ["aiter", "tuned-configs", "triton"] {
        for entry in std::fs::read_dir(corpus.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            match read(&name, &std::fs::read(&path).unwrap()) {
                Ok(table) => {
                    tables += 1;
                    assert!(
                        audit(&table, &Scope::default()).iter().all(|finding| finding.line > 0),
                        "{name}"
                    );
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().starts_with(&format!("{name}:")), "{error}");
                }
            }
        }
    }
    assert!(tables >= 59, "{tables} tables, {refused} refused");
}
