//! tmp
fn main() {
    let t = std::time::Instant::now();
    let c = kforge_catalog::Catalog::builtin().unwrap();
    let built = t.elapsed();
    let names: Vec<String> = std::io::stdin().lines().map(|l| l.unwrap()).collect();
    let t = std::time::Instant::now();
    let ls: Vec<_> = names.iter().map(|n| c.classify(n)).collect();
    eprintln!("built {built:?}; {} names {:?}", names.len(), t.elapsed());
    for (n, l) in names.iter().zip(&ls) {
        let p: Vec<_> = l.parts.iter().map(|f| f.name()).collect();
        println!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}",
            l.operation.name(),
            p.join("+"),
            l.dtypes.join(","),
            l.language.as_deref().unwrap_or("-"),
            l.library.as_deref().unwrap_or("-"),
            l.rule.as_deref().unwrap_or("-"),
            n
        );
    }
}
