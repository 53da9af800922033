//! Claims about the rule files: every rule decides its own examples, and none decides a name it lists as a look-alike.

use std::collections::HashSet;

use kforge_catalog::{Catalog, Error, Family};

#[test]
fn every_rule_is_the_first_to_match_each_of_its_examples() {
    let catalog = Catalog::builtin().unwrap();
    let mut wrong = Vec::new();
    for rule in catalog.rules() {
        assert!(!rule.examples.is_empty(), "{} shows no example", rule.id);
        for example in &rule.examples {
            let labels = catalog.classify(example);
            if labels.rule.as_deref() != Some(rule.id.as_str()) {
                wrong.push(format!("{}: {example}: decided by {:?}", rule.id, labels.rule));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_rule_decides_a_name_that_only_looks_alike() {
    let catalog = Catalog::builtin().unwrap();
    for rule in catalog.rules() {
        for name in &rule.counter {
            let labels = catalog.classify(name);
            assert_ne!(labels.rule.as_deref(), Some(rule.id.as_str()), "{name}");
            assert_ne!(labels.operation, rule.family, "{name} is {}", rule.family);
        }
    }
}

#[test]
fn ids_are_unique_and_every_family_has_a_rule() {
    let catalog = Catalog::builtin().unwrap();
    let mut ids = HashSet::new();
    let mut families = HashSet::new();
    for rule in catalog.rules() {
        assert!(ids.insert(rule.id.clone()), "{} twice", rule.id);
        families.insert(rule.family);
    }
    for family in Family::ALL {
        let ruled = families.contains(&family);
        assert!(ruled || matches!(family, Family::Other | Family::Unclassified), "{family} has no rule");
    }
}

#[test]
fn rules_of_the_user_are_asked_first() {
    let own =
        "[[rule]]\nid = \"mine\"\nfamily = \"attention\"\nname = [\"my gemm\"]\nexamples = [\"my_gemm\"]\n";
    let catalog = Catalog::with_rules(&[("own", own)]).unwrap();
    assert_eq!(catalog.classify("my_gemm").rule.as_deref(), Some("own/mine"));
    assert_eq!(catalog.classify("volta_sgemm_64x64_nt").operation, Family::Gemm);
}

#[test]
fn rules_of_the_user_are_asked_before_shipped_files_with_a_scope() {
    let name = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int)";
    let shipped = Catalog::builtin().unwrap().classify(name);
    assert!(shipped.rule.is_some_and(|rule| rule.starts_with("aten/")));
    for scope in ["", "scope = [\"^at native\"]\n"] {
        let own = format!(
            "{scope}[[rule]]\nid = \"mine\"\nfamily = \"attention\"\nname = [\"^at native vectorized\"]\nexamples = []\n"
        );
        let catalog = Catalog::with_rules(&[("own", &own)]).unwrap();
        assert_eq!(catalog.classify(name).rule.as_deref(), Some("own/mine"), "{scope}");
    }
}

#[test]
fn broken_rule_files_are_refused_with_file_and_rule() {
    let refuse = |text: &str| Catalog::with_rules(&[("own", text)]).unwrap_err();
    assert!(matches!(refuse("[[rule]"), Error::Syntax { .. }));
    assert!(matches!(
        refuse("[[rule]]\nid='a'\nfamily='nonsense'\nname=['x']\nexamples=[]"),
        Error::Syntax { .. }
    ));
    assert!(matches!(refuse("[[rule]]\nid='a'\nfamily='gemm'\nexamples=[]"), Error::EmptyRule { .. }));
    assert!(matches!(
        refuse("[[rule]]\nid='a'\nfamily='gemm'\nname=['A_b']\nexamples=[]"),
        Error::DeadPhrase { .. }
    ));
    let twice = "[[rule]]\nid='a'\nfamily='gemm'\nname=['x']\nexamples=[]\n";
    let error = refuse(&twice.repeat(2));
    assert!(matches!(error, Error::DuplicateRule { .. }));
    assert_eq!(error.code(), "catalog.duplicate-rule");
    assert!(error.to_string().contains("own") && error.hint().is_some());
}
