"""What is known about a site."""

import pathlib
import pickle
import threading

import newslode
import pytest
from pages import LETTER, TEXTS, article, site, url


def text(site: newslode.Site | None, name: str) -> str:
    found = site.extract(article(name), url(name)) if site else newslode.extract(article(name), url(name))
    assert found is not None
    return found.text


def test_siblings_tell_the_sites_own_text_from_the_storys() -> None:
    assert LETTER in text(None, "rain")
    learnt = newslode.Site()
    assert learnt.learn(site()) == learnt.templates == 1
    assert learnt.seen == [url(name) for name in TEXTS]
    assert [text(learnt, name) for name in TEXTS] == ["\n".join(texts) for texts in TEXTS.values()]
    assert [found and found.text for found in learnt.extract_many(site())] == [text(learnt, name) for name in TEXTS]
    found = learnt.extract(*site()[0])
    assert found is not None and found.evidence["body"].witness == "template v1"


def test_pages_can_be_seen_one_by_one() -> None:
    seen = newslode.Site()
    for page in site():
        seen.see(*page)
    assert (seen.templates, len(seen.seen)) == (0, 3)
    assert LETTER not in text(seen, "rain")


def test_one_corrected_page_teaches_about_the_others() -> None:
    taught = newslode.Site()
    taught.correct(article("fair"), url("fair"), body="\n".join(TEXTS["fair"]))
    assert taught.corrected == [url("fair")]
    assert text(taught, "rain") == "\n".join(TEXTS["rain"])
    dropped = newslode.Site()
    dropped.correct(article("fair"), url("fair"), drop=[LETTER])
    assert text(dropped, "tram") == "\n".join(TEXTS["tram"])
    assert dropped.forget(url("rain")) == 0
    assert dropped.forget() == 1
    assert LETTER in text(dropped, "tram")


def test_a_field_is_corrected() -> None:
    def page(name: str, author: str) -> str:
        return article(name).replace("<h1>", f"<p class=who>{author}</p><h1>")

    taught = newslode.Site()
    taught.correct(page("fair", "Bo Reyes"), url("fair"), authors=["Bo Reyes"])
    found = taught.extract(page("rain", "Cem Kaya"), url("rain"))
    assert found is not None
    assert (found.authors, found.evidence["authors"].witness) == (["Cem Kaya"], "taught")


def test_a_correction_that_the_page_does_not_show_is_refused() -> None:
    taught = newslode.Site()
    wrong = [{}, {"body": "Something else was written here by nobody"}, {"drop": ["nowhere"]}, {"title": "Snow"}]
    for said in wrong:
        with pytest.raises(newslode.CorrectionError):
            taught.correct(article("fair"), url("fair"), **said)  # type: ignore[arg-type]
    assert taught.corrected == []


def test_a_site_comes_back_from_its_file(tmp_path: pathlib.Path) -> None:
    learnt = newslode.Site()
    learnt.learn(site())
    learnt.correct(article("fair"), url("fair"), body="\n".join(TEXTS["fair"]))
    file = tmp_path / "example.org.site"
    learnt.save(file)
    learnt.save(str(file))
    assert [path.name for path in tmp_path.iterdir()] == [file.name], "nothing is left beside it"
    copies = [newslode.Site.load(file), pickle.loads(pickle.dumps(learnt)), newslode.Site.from_bytes(learnt.to_bytes())]
    for copy in copies:
        assert repr(copy) == repr(learnt) == "<Site: 1 templates, 1 pages corrected, 3 seen>"
        assert copy.to_bytes() == learnt.to_bytes()
        assert copy.extract(*site()[0]) == learnt.extract(*site()[0])


def test_a_damaged_file_is_refused(tmp_path: pathlib.Path) -> None:
    learnt = newslode.Site()
    learnt.learn(site())
    whole = learnt.to_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    damaged = [b"", b"\xff\xfe", b"{}", whole[:-1], whole[:30], bytes(flipped), whole.replace(b"site 1", b"site 2", 1)]
    for data in damaged:
        (tmp_path / "site").write_bytes(data)
        with pytest.raises(newslode.FormatError):
            newslode.Site.load(tmp_path / "site")
    with pytest.raises(newslode.FormatError, match="form 2, this version reads form 1"):
        newslode.Site.from_bytes(damaged[-1])
    with pytest.raises(FileNotFoundError):
        newslode.Site.load(tmp_path / "nowhere")
    with pytest.raises(OSError):
        learnt.save(tmp_path / "no" / "folder")


def test_pages_to_learn_from_need_an_address() -> None:
    with pytest.raises(TypeError, match="HTML and URL"):
        newslode.Site().learn([article("rain")])  # type: ignore[list-item]
    with pytest.raises(newslode.InvalidUrl):
        newslode.Site().see(article("rain"), "nowhere")


def test_threads_may_learn_and_read_at_once() -> None:
    shared = newslode.Site()
    failed: list[BaseException] = []

    def run(number: int) -> None:
        try:
            for at in range(10):
                shared.see(article("rain"), url(f"{number}/{at}"))
                shared.extract(article("fair"), url("fair"))
                list(shared.extract_many(site(), 2))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(shared.seen) == 20, "nothing that one thread saw is lost to another"
