//! Every seed of every fuzz target passes on stable Rust. Inputs that once broke something are among the seeds.

use std::path::Path;

use newslode_fuzzing::TARGETS;

#[test]
fn every_target_has_seeds_and_every_seed_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    for (name, check) in TARGETS {
        let folder = root.join("seeds").join(name);
        let files =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let files: Vec<_> = files.map(|file| file.expect("a readable folder").path()).collect();
        assert!(files.len() >= 3, "{name} has only {} seeds", files.len());
        for file in files {
            let bytes = std::fs::read(&file).expect("a readable file");
            // A failure names the seed.
            println!("{}", file.display());
            check(&bytes);
        }
        let target = root.join("fuzz_targets").join(format!("{name}.rs"));
        assert!(target.is_file(), "{} is missing", target.display());
    }
}
