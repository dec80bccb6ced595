//! The example that users start from runs, and its errors name what is wrong.

use std::process::{Command, Output};

/// Runs the example, which cargo builds with the tests of the package.
fn extract(arguments: &[&str]) -> Output {
    let test = std::env::current_exe().unwrap();
    let example = test.ancestors().nth(2).unwrap().join("examples/extract");
    assert!(example.is_file(), "build it first: cargo build -p newslode-page --examples");
    Command::new(example).args(arguments).output().unwrap()
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_small_page_is_extracted() {
    let printed = printed(&extract(&[]));
    for wanted in [
        "title:     Rain ends the drought\n",
        "published: 2024-05-02T08:00:00Z\n",
        "authors:   Ada Lane\n",
        "\nAfter eleven dry weeks",
        "evidence:  published from meta",
        "<label text=\"Sport\" leaves=\"1\" href=\"https://file.invalid/sport\"/>",
    ] {
        assert!(printed.contains(wanted), "no `{wanted}` in\n{printed}");
    }
}

#[test]
fn a_file_is_extracted_under_its_url() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("front.html");
    std::fs::write(&file, "<h2>Sport</h2><ul><li><a href=/cup>Cup</a><li><a href=/tour>Tour</a></ul>")
        .unwrap();
    let printed = printed(&extract(&[file.to_str().unwrap(), "https://www.example.com/"]));
    assert!(printed.contains("The page is not an article."), "{printed}");
    assert!(printed.contains("href=\"https://www.example.com/cup\""), "{printed}");
}

#[test]
fn errors_name_the_file_or_the_url() {
    for (arguments, wanted) in
        [(&["no-such-page.html"][..], "`no-such-page.html`"), (&["/dev/null", "a story"][..], "`a story`")]
    {
        let ended = extract(arguments);
        let told = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(1), "{told}");
        assert!(told.contains(wanted), "{told}");
    }
}
