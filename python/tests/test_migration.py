"""The migration tables name a call for everything that users of other packages have, and each call works."""

import ast
import inspect
import pathlib
import re
from typing import Any

import newslode
import pytest
from pages import article as page_of
from pages import url as url_of

TABLES = pathlib.Path(__file__).parents[2] / "docs" / "python-migration.md"

#: What the packages of the versions that the page names have.
NAMES = {
    "trafilatura": """filecontent url record_id fast no_fallback favor_precision favor_recall include_comments output_format
        tei_validation target_language include_tables include_images include_formatting include_links deduplicate
        date_extraction_params with_metadata only_with_metadata max_tree_size url_blacklist author_blacklist settingsfile
        prune_xpath config options""",
    "newspaper4k": """article_html authors build canonical_link clean_doc config doc download download_exception_msg
        download_state extractor fetch_images history html images imgs is_media_news is_parsed is_valid_body is_valid_url
        keyword_scores keywords meta_data meta_description meta_favicon meta_img meta_keywords meta_lang meta_site_name movies
        nlp original_url parse publish_date read_more_link set_movies source_url summary tags text text_cleaned
        throw_if_not_downloaded_verbose throw_if_not_parsed_verbose title to_json top_image top_img top_node url""",
    "Fundus": """title body plaintext authors publishing_date topics free_access images publisher lang html exception to_json""",
}


def rows(package: str) -> list[tuple[str, str]]:
    sections = re.split(r"^## ", TABLES.read_text("utf-8"), flags=re.MULTILINE)
    section = next(section for section in sections[1:] if package in section.split("\n")[0])
    lines = [line.strip("| ").split(" | ", 1) for line in section.split("\n") if line.startswith("| `")]
    return [(names, write) for names, write in lines]


def calls() -> list[str]:
    """The expressions of the page that name the package or an article."""
    spans = re.findall(r"`([^`]+)`", TABLES.read_text("utf-8"))
    return sorted({span for span in spans if re.search(r"newslode\.\w+\(|\barticle\.", span)})


@pytest.mark.parametrize("package", NAMES)
def test_every_name_has_a_row(package: str) -> None:
    named = {re.split(r"[=(]", name)[0] for names, _ in rows(package) for name in re.findall(r"`([^`]+)`", names)}
    assert named == set(NAMES[package].split())
    assert all(write.strip() for _, write in rows(package))


@pytest.mark.parametrize("call", calls())
def test_every_call_works(call: str) -> None:
    if "newslode.fetch(" in call or "newslode.Client(" in call:
        tree = ast.parse(call, mode="eval")
        inner = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        asked = next(node for node in inner if ast.unparse(node.func) in ("newslode.fetch", "newslode.Client"))
        function = newslode.fetch if "fetch" in call else newslode.Client
        keywords: dict[str, Any] = {keyword.arg or "": keyword.value for keyword in asked.keywords}
        inspect.signature(function).bind(*asked.args, **keywords)
        return
    html, url = page_of("rain"), url_of("rain")
    article = newslode.extract(html, url)
    assert article is not None
    if ".comments" in call:
        html += "<ol><li class=comment><b class=fn>Bo</b><p>At last!</ol>"
    eval(call, {"newslode": newslode, "html": html, "url": url, "article": article})
