//! What people change from the console, with a browser: a corrected article teaches its site, sites come and go, dead letters are
//! put back or dropped, and who may not write finds no form and is refused.

use newslode_e2e::browser::Browser;

use crate::bad_input::{dead, publish};
use crate::browser::{axe, barriers};
use crate::lab::{Lab, small_world};
use crate::letters::{FRONT, Lettered, MARK, SITE, STORIES};
use crate::services::{Installation, Servers};
use crate::writing::Served;

/// The name of a page's headline.
const HEADLINE: &str = "document.querySelector('h1').textContent";

/// A browser before a console.
struct Visit<'a> {
    served: &'a Served,
    browser: Browser,
    axe: String,
}

impl<'a> Visit<'a> {
    async fn begin(lab: &Lab, served: &'a Served) -> Visit<'a> {
        Visit { served, browser: Browser::start(&lab.path("")).await, axe: axe() }
    }

    /// Signs in with the one-time address.
    fn sign_in(&self, lab: &Lab) {
        self.open(&self.served.one_time_path(lab));
        self.sees("Sign in");
        self.browser.click("form[action='/session/once'] button");
        self.sees("Operations");
    }

    fn open(&self, path: &str) {
        self.browser.open(&format!("http://{}{path}", self.served.client.addr));
    }

    /// Loads a page again until an expression is true on it.
    fn open_until(&self, path: &str, expression: &str) {
        self.browser.wait(expression, || {
            self.open(path);
            self.browser.run(&format!("return Boolean({expression})")) == true
        });
    }

    /// How many elements a selector finds.
    fn count(&self, selector: &str) -> u64 {
        let script = format!("return document.querySelectorAll('{selector}').length");
        self.browser.run(&script).as_u64().unwrap()
    }

    /// Waits for a page with this headline, which has no barrier.
    fn sees(&self, headline: &str) {
        self.browser.until(&format!("{HEADLINE} === '{headline}'"));
        let found = barriers(&self.browser, &self.axe);
        assert!(found.is_empty(), "{headline}: {}", found.join("\n"));
    }

    /// Waits until the page tells that this was done.
    fn is_told(&self, what: &str) {
        self.browser.until(&format!("document.querySelector('.done')?.textContent.includes('{what}')"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_changed_with_a_browser() {
    let lab = Lab::serving(Lettered(small_world(3)), &[FRONT.to_owned()]).await;
    lab.ok(&lab.mining("run", &[])).await;
    let run = lab.path("run").display().to_string();
    let served = Served::start(&lab, &["serve", &run, "--addr", "127.0.0.1:0"]).await;
    let visit = Visit::begin(&lab, &served).await;
    visit.sign_in(&lab);
    a_corrected_article_teaches_its_site(&visit);
    a_site_is_added_paused_and_removed(&visit);
    drop(visit);
    served.end().await;

    let open = Served::start(&lab, &["serve", &run, "--addr", "0.0.0.0:0"]).await;
    nobody_writes(&Visit::begin(&lab, &open).await);
    open.end().await;
}

/// One article loses the letters under its story by hand, and all others of the site with it.
fn a_corrected_article_teaches_its_site(visit: &Visit<'_>) {
    let browser = &visit.browser;
    let wrong = format!("/articles?q=%22{}%22", MARK.replace(' ', "+"));
    visit.open(&wrong);
    assert_eq!(visit.count(".articles h3 a"), STORIES as u64, "the site must be read wrongly to begin with");
    browser.click(".articles h3 a");
    browser.until("location.pathname.startsWith('/articles/')");
    browser.click("a[href$='/correct']");
    visit.sees("Correct this article");
    browser.run(&format!(
        "const text = document.querySelector('#correct-body');
         text.value = text.value.split('\\n\\n').filter(passage => !passage.includes('{MARK}')).join('\\n\\n')"
    ));
    browser.click("button[value=preview]");
    visit.sees("What the correction changes");
    assert_eq!(visit.count("article.changed"), STORIES as u64 - 1);
    browser.click("button[value=keep]");
    visit.is_told("has learnt from it");
    visit.open_until(&wrong, "document.body.textContent.includes('No article is like this')");
}

fn a_site_is_added_paused_and_removed(visit: &Visit<'_>) {
    let browser = &visit.browser;
    visit.open("/operations");
    visit.sees("Operations");
    browser.write("#urls", "http://www.added.test/");
    browser.click("form[action='/operations/seeds'] button");
    visit.is_told("1 site was added");
    visit.open_until("/sites/added.test", &format!("{HEADLINE} === 'added.test'"));
    visit.sees("added.test");
    browser.click("button[value=pause]");
    visit.is_told("It is paused");
    visit.open_until("/operations", "document.querySelector(\"a[href='/sites/added.test']\")");
    browser.click("a[href='/sites/added.test']");
    browser.until("location.pathname === '/sites/added.test'");
    browser.click("button[value=remove]");
    visit.sees("Remove added.test?");
    browser.click("button.danger");
    visit.is_told("added.test was removed");
    visit.open_until("/sites/added.test", &format!("{HEADLINE} === 'Not found'"));
}

/// Without a token, over an address that others reach: no page has a form that changes something, and one that is made up is refused.
fn nobody_writes(visit: &Visit<'_>) {
    visit.open(&format!("/articles?site={SITE}"));
    let article = visit.browser.run("return document.querySelector('.articles h3 a').getAttribute('href')");
    let correct = format!("{}/correct", article.as_str().unwrap());
    for page in ["/operations", &format!("/sites/{SITE}"), &correct] {
        visit.open(page);
        assert_eq!(visit.count("form[method=post] button"), 0, "{page}");
    }
    visit.browser.run(
        "const form = document.createElement('form');
         [form.method, form.action] = ['post', '/operations/seeds'];
         form.innerHTML = '<input name=urls value=http://www.forged.test/><button>Add</button>';
         document.querySelector('main').prepend(form)",
    );
    visit.browser.click("form[action='/operations/seeds'] button");
    visit.sees("This may not be changed");
    visit.open("/sites/forged.test");
    visit.sees("Not found");
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_letters_are_settled_with_a_browser() {
    let lab = Lab::of(small_world(5)).await;
    let servers = Servers::start().await;
    let mut services = Installation::new(&lab, &servers, "browsed", 0);
    services.start_all();
    services.ready().await;
    let broken = ["{\"version\":1,", "{\"version\":1,\"url\":\"http://a.test/\",\"max_page\":3}"];
    publish(&servers.rabbit.url(), "browsed.seeds", &broken).await;
    dead(&lab, &services, "seeds", 2).await;
    let served = Served::start(&lab, &services.asking(&["serve", "--addr", "127.0.0.1:0"])).await;
    let visit = Visit::begin(&lab, &served).await;
    visit.sign_in(&lab);
    let browser = &visit.browser;
    let letters = |count: u64| format!("document.querySelectorAll('input[name=id]').length === {count}");

    visit.open("/operations");
    visit.sees("Operations");
    browser.click("input[name=id]");
    browser.click("button[value=replay]");
    visit.is_told("1 dead letter was put back");
    // It is as broken as before.
    visit.open_until("/operations", &letters(2));
    browser.click("input[name=id]");
    browser.click("button[value=drop]");
    visit.sees("Drop 1 dead letter?");
    browser.click("button.danger");
    visit.is_told("1 dead letter was dropped");
    dead(&lab, &services, "seeds", 1).await;
    visit.open_until("/operations", &letters(1));
    browser.click("button[value=drop_all]");
    visit.sees("Drop all dead letters of the queue seeds?");
    browser.click("button.danger");
    visit.is_told("1 dead letter was dropped");
    dead(&lab, &services, "seeds", 0).await;
    drop(visit);
    served.end().await;
    services.stop().await;
}
