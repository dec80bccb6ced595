#!/usr/bin/env python3
"""Writes page/src/extract/cldr/cldr.txt: names of months, words of dates and of lists, in the languages of Unicode's CLDR.

usage: cldr.py FOLDER [--check] [--write]

FOLDER holds the packages below, unpacked; in an empty folder:

    npm pack cldr-core@48.2.0 cldr-dates-full@48.2.0 cldr-misc-full@48.2.0 cldr-cal-persian-full@46.1.0 cldr-cal-ethiopic-full@46.1.0
    for package in *.tgz; do mkdir ${package%-*} && tar xzf $package -C ${package%-*} --strip-components=1; done

Words are folded as `fold` in page/src/extract/cldr/mod.rs folds them. Standard library only.
"""
import argparse
import collections
import json
import pathlib
import re
import sys
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMMITTED = ROOT / "src/extract/cldr/cldr.txt"
HEAD = """\
# Words of dates and lists, from Unicode CLDR 48.2 and 46.1 (Unicode License V3, in LICENSE-UNICODE). Written by train/cldr.py; not by hand.
# First what all languages share. Then a line per language, those with most speakers first: language, order of a date in digits,
# words for "and", before noon, after noon, and the months; further calendars of a language have lines of their own.
"""
CALENDARS = {"gregorian": "cldr-dates-full", "persian": "cldr-cal-persian-full", "ethiopic": "cldr-cal-ethiopic-full"}
# A calendar other than the Gregorian is read in the languages that use it.
USED = {"persian": ["fa", "ps", "ckb", "uz", "tg", "en"], "ethiopic": ["am", "ti", "om", "en"]}
# Marks that many writers leave out: of Latin, Greek and Cyrillic letters, of Hebrew, Arabic and Indic ones. Letters that look
# alike are one.
MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u093c\u09bc\u0a3c\u200b-\u200f\u2060-\u2069\u00ad.]")
ALIKE = str.maketrans({"ı": "i", "ی": "ي", "ى": "ي", "ک": "ك", "ە": "ه", "’": "'", "ʻ": "'", "ʼ": "'", "\u00a0": " ", "\u202f": " "})


def fold(text: str) -> str:
    decomposed = MARKS.sub("", unicodedata.normalize("NFD", text.lower())).translate(ALIKE)
    return " ".join(unicodedata.normalize("NFC", decomposed).split())


def is_letter(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "LM"


def fields(pattern: str) -> list[tuple[str, str]]:
    """The parts of a date pattern: ("field", "MMMM") and ("text", "de")."""
    parts = re.findall(r"'((?:[^']|'')*)'|([A-Za-z])(\2*)|([^A-Za-z']+)", pattern)
    return [("field", one + more) if one else ("text", (quoted or plain).replace("''", "'")) for quoted, one, more, plain in parts]


class Locale:
    def __init__(self, folder: pathlib.Path, name: str):
        read = lambda package, file: json.loads((folder / package / "main" / name / file).read_text("utf-8"))["main"][name]
        self.calendars = {}
        for calendar, package in CALENDARS.items():
            if (folder / package / "main" / name / f"ca-{calendar}.json").exists():
                self.calendars[calendar] = read(package, f"ca-{calendar}.json")["dates"]["calendars"][calendar]
        self.lists = read("cldr-misc-full", "listPatterns.json")["listPatterns"]
        # What leads most months ("de gener") is no part of their names.
        wide = self.calendars["gregorian"]["months"]["format"]["wide"].values()
        leading = collections.Counter(fold(month).split()[0] for month in wide if " " in month)
        self.led_by = {word for word, count in leading.items() if count >= 4 and not re.search(r"\d", word)}

    def patterns(self) -> list[list[tuple[str, str]]]:
        """The patterns of whole dates."""
        gregorian = self.calendars["gregorian"]
        available = gregorian["dateTimeFormats"]["availableFormats"].items()
        dated = [pattern for skeleton, pattern in available if "d" in skeleton and "M" in skeleton]
        texts = [value for value in [*gregorian["dateFormats"].values(), *dated] if isinstance(value, str)]
        return [fields(text) for text in texts]

    def names(self, calendar: str) -> list[list[str]]:
        """The names of each month, longer ones first."""
        months = self.calendars[calendar]["months"]
        found: list[list[str]] = [[] for _ in months["format"]["wide"]]
        for width in ("wide", "abbreviated"):
            for form in ("format", "stand-alone"):
                for number, name in months[form][width].items():
                    if number.isdigit():
                        found[int(number) - 1].append(fold(name))
        bare = lambda name: name.split(" ", 1)[1] if " " in name and name.split()[0] in self.led_by else name
        # "d'abril" has lost a vowel.
        found = [[re.sub(r"^[a-z]'", "", bare(name)) for name in names] for names in found]
        affixes = self.month_affixes() if calendar == "gregorian" else set()
        names = [list(dict.fromkeys(names + [before + name + after for name in names for before, after in affixes])) for names in found]
        return [[name for name in of_month if not re.search(r"\d", name) and len(name) > 1 or name[:1] in "一二三四五六七八九十"] for of_month in names]

    def month_affixes(self) -> set[tuple[str, str]]:
        """Letters that patterns join to the name of a month: Basque "martxoa" + "ren"."""
        found = set()
        for pattern in self.patterns():
            for at, (what, text) in enumerate(pattern):
                if what != "field" or not re.match("MMM|LLL", text):
                    continue
                before = pattern[at - 1][1] if at and pattern[at - 1][0] == "text" else ""
                after = pattern[at + 1][1] if at + 1 < len(pattern) and pattern[at + 1][0] == "text" else ""
                before = re.search(r"[^\W\d_]*$", before).group()
                after = re.match(r"[^\W\d_]*", after).group()
                if before or after:
                    found.add((fold(before), fold(after)))
        return found

    def order(self) -> str:
        """The order of day, month and year in digits."""
        short = fields(self.calendars["gregorian"]["dateFormats"]["short"])
        letters = [text[0].replace("L", "M") for what, text in short if what == "field" and text[0] in "dMLyu"]
        return "".join(letters).replace("u", "y").lower()

    def texts_of_dates(self) -> set[str]:
        """Words between the parts of a date: "de", "gada", "年"."""
        found = set()
        for pattern in self.patterns():
            for what, text in pattern:
                if what == "text":
                    found |= {fold(word) for word in re.findall(r"[^\W\d_][^\s\d,،()/-]*", text)}
        return {word for word in found if word and all(is_letter(letter) or letter in "'’-" for letter in word)}

    def month_signs(self) -> tuple[set[str], set[str]]:
        """Words before and behind the number of a month: "tháng 4", "4月"."""
        before, behind = set(), set()
        months = self.calendars["gregorian"]["months"]
        for number, name in [pair for form in months.values() for width in ("wide", "abbreviated") for pair in form[width].items()]:
            if number.isdigit() and (at := re.fullmatch(rf"(\D*?)\s*{number}\s*(\D*)", fold(name))):
                before.add(at.group(1))
                behind |= {at.group(2)} | {at.group(2) + after for _, after in self.month_affixes()}
        for pattern in self.patterns():
            for (what, text), (_, following) in zip(pattern, pattern[1:] + [("", "")]):
                if what == "field" and text in ("M", "MM") and (sign := re.match(r"[^\W\d_]+", following)):
                    behind.add(fold(sign.group()))
        # CLDR calls the months of languages without names "M01".
        last = lambda texts: {text.split()[-1].lstrip("-") for text in texts if text.strip("- m0")}
        return last(before), last(behind)

    def ands(self) -> list[str]:
        """What joins the last two of a list."""
        found = []
        for kind in ("listPattern-type-standard", "listPattern-type-standard-short"):
            pattern = self.lists.get(kind, {})
            for key in ("2", "end"):
                joint = fold(pattern.get(key, "").split("{1}")[0].split("{0}")[-1]).strip(" ,،、")
                found.append(joint)
        return [joint for joint in dict.fromkeys(found) if joint and all(is_letter(letter) for letter in joint.replace(" ", ""))]

    def halves(self, half: str) -> list[str]:
        """Words for before or after noon."""
        periods = self.calendars["gregorian"]["dayPeriods"]
        names = [fold(periods[form][width].get(half, "")) for form in ("format", "stand-alone") for width in ("wide", "abbreviated")]
        return [name for name in dict.fromkeys(names) if len(name) > 1 or name and not name.isascii()]


def speakers(folder: pathlib.Path) -> dict[str, float]:
    territories = json.loads((folder / "cldr-core/supplemental/territoryInfo.json").read_text("utf-8"))["supplemental"]["territoryInfo"]
    found: dict[str, float] = collections.defaultdict(float)
    for territory in territories.values():
        for language, share in territory.get("languagePopulation", {}).items():
            found[language.split("_")[0]] += float(share["_populationPercent"]) / 100 * float(territory["_population"])
    return found


def table(folder: pathlib.Path) -> str:
    levels = json.loads((folder / "cldr-core/coverageLevels.json").read_text("utf-8"))["effectiveCoverageLevels"]
    names = sorted(entry.name for entry in (folder / "cldr-dates-full/main").iterdir() if entry.name in levels and entry.name != "und")
    by_language: dict[str, list[Locale]] = collections.defaultdict(list)
    for name in sorted(names, key=lambda name: (name.split("-")[0], name.count("-"), name)):
        by_language[name.split("-")[0]].append(Locale(folder, name))
    merge = lambda lists: list(dict.fromkeys(one for many in lists for one in many))
    systems = json.loads((folder / "cldr-core/supplemental/numberingSystems.json").read_text("utf-8"))["supplemental"]["numberingSystems"]
    digits = [system["_digits"] for system in systems.values() if system["_type"] == "numeric"]
    zeros = sorted(row[0] for row in digits if [ord(one) for one in row] == list(range(ord(row[0]), ord(row[0]) + 10)) and ord(row[0]) > 127)
    locales = [locale for of_language in by_language.values() for locale in of_language]
    signs = [locale.month_signs() for locale in locales]
    shared = {
        "zeros": zeros,
        "between": sorted(set().union(*(locale.texts_of_dates() | locale.led_by for locale in locales))),
        "before month": sorted(set().union(*(before for before, _ in signs))),
        "behind month": sorted(set().union(*(behind for _, behind in signs))),
    }
    lines = ["\t".join([name, "/".join(words)]) for name, words in shared.items()]
    spoken = speakers(folder)
    for language in sorted(by_language, key=lambda language: (-spoken[language], language)):
        of_language = by_language[language]
        months = [merge(of_month) for of_month in zip(*(locale.names("gregorian") for locale in of_language))]
        row = [language, of_language[0].order(), *("/".join(merge(many)) for many in (
            [locale.ands() for locale in of_language], [locale.halves("am") for locale in of_language], [locale.halves("pm") for locale in of_language]))]
        lines.append("\t".join(row + ["/".join(of_month) for of_month in months]))
        for calendar, users in USED.items():
            with_it = [locale for locale in of_language if language in users and calendar in locale.calendars]
            if with_it:
                months = [merge(of_month) for of_month in zip(*(locale.names(calendar) for locale in with_it))]
                lines.append("\t".join([language, calendar, *("/".join(of_month) for of_month in months)]))
    return HEAD + "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help="folder with the unpacked packages")
    parser.add_argument("--check", action="store_true", help="fail if the packages give another file than the committed one")
    parser.add_argument("--write", action="store_true", help="rewrite the committed file")
    args = parser.parse_args()
    text = table(args.folder)
    if args.write:
        COMMITTED.write_text(text, "utf-8", newline="\n")
    if args.check and COMMITTED.read_text("utf-8") != text:
        sys.exit(f"{args.folder} gives another {COMMITTED}; --write rewrites it")


if __name__ == "__main__":
    main()
