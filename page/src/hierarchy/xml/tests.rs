use super::*;

#[test]
fn runs_of_leaves_are_ranges() {
    assert_eq!(format_ranges(&[3, 5, 6, 7, 9]), "3 5-7 9");
    assert_eq!(parse_numbers("3 5-7 9"), Ok(vec![3, 5, 6, 7, 9]));
    assert_eq!(format_ranges(&[u32::MAX]), u32::MAX.to_string());
    for wrong in ["", "x", "-1", "7 5-3", "0-4294967295", "99999999999"] {
        assert!(parse_numbers(wrong).is_err(), "{wrong}");
    }
}

#[track_caller]
fn refused(xml: &str, wanted: &str) {
    let error = read(xml).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains(wanted), "`{error}` does not say `{wanted}`");
}

#[test]
fn what_is_no_hierarchy_is_refused_with_its_place() {
    let page = |inside: &str| {
        format!("<page xmlns=\"{NAMESPACE}\" url=\"u\" method=\"m\" leaves=\"1\">{inside}</page>")
    };
    refused("", "there is no `page`");
    refused("<page", "not XML");
    refused("<page/>", "`xmlns` is missing");
    refused("<list/>", "the root is a `page`");
    refused(&page("").replace("ns/hierarchy/1", "ns/hierarchy/2"), "namespace");
    refused(&page("<label text='x'/>"), "`leaves` is missing");
    refused(&page("<label text='x' leaves='0' size='3'/>"), "unexpected attribute `size`");
    refused(&page("<label text='x' leaves='0' promotion='best'/>"), "unknown promotion");
    refused(&page("<label text='x' leaves='0' image='yes'/>"), "neither");
    refused(&page("<group block='menu'/>"), "unknown block `menu`");
    refused(
        &page("<label text='x' leaves='0-2' tags='AV'/>"),
        "neither one tag nor one for each of 3 leaves",
    );
    refused(&page("<label text='x' leaves='0' tags='B'/>"), "`B` is none of the tags");
    refused(&page("<group tags='A'/>"), "unexpected attribute `tags`");
    refused(&page("<leaf/>"), "unknown element `leaf`");
    refused(&page("words"), "no text");
    refused(&page("<group>"), "not XML");
    refused(&format!("{}<page/>", page("")), "more than one root");
    refused("<!DOCTYPE page [<!ENTITY a 'b'>]><page/>", "no document type");
    assert!(read(&page("<!-- fine -->")).is_ok());
}
