//! The languages that a page declares, as BCP 47 writes them.
//!
//! Themes are sold with a declaration, and countries are taken for languages, so a declaration is evidence and no more.

use crate::reading::{NodeId, PageTree};

/// The languages with a code of two letters, and their codes of three (ISO 639-1; 639-2 and 639-3).
const CODES: &str = "\
aa=aar ab=abk ae=ave af=afr ak=aka am=amh an=arg ar=ara,arb as=asm av=ava ay=aym az=aze,azj ba=bak \
be=bel bg=bul bi=bis bm=bam bn=ben bo=bod,tib br=bre bs=bos ca=cat ce=che ch=cha co=cos cr=cre \
cs=ces,cze cu=chu cv=chv cy=cym,wel da=dan de=deu,ger dv=div dz=dzo ee=ewe el=ell,gre en=eng eo=epo \
es=spa et=ekk,est eu=baq,eus fa=fas,per,pes,prs ff=ful fi=fin fj=fij fo=fao fr=fra,fre fy=fry ga=gle \
gd=gla gl=glg gn=grn,gug gu=guj gv=glv ha=hau he=heb hi=hin ho=hmo hr=hrv,scr ht=hat hu=hun hy=arm,hye \
hz=her ia=ina id=ind ie=ile ig=ibo ii=iii ik=ipk io=ido is=ice,isl it=ita iu=iku ja=jpn jv=jav \
ka=geo,kat kg=kon ki=kik kj=kua kk=kaz kl=kal km=khm kn=kan ko=kor kr=kau ks=kas ku=kmr,kur kv=kom \
kw=cor ky=kir la=lat lb=ltz lg=lug li=lim ln=lin lo=lao lt=lit lu=lub lv=lav,lvs mg=mlg,plt mh=mah \
mi=mao,mri mk=mac,mkd ml=mal mn=khk,mon mr=mar ms=may,msa,zsm mt=mlt my=bur,mya na=nau nb=nob nd=nde \
ne=nep,npi ng=ndo nl=dut,nld nn=nno no=nor nr=nbl nv=nav ny=nya oc=oci oj=oji om=gaz,orm or=ori,ory \
os=oss pa=pan pi=pli pl=pol ps=pbu,pus pt=por qu=que,quz rm=roh rn=run ro=mol,ron,rum ru=rus rw=kin \
sa=san sc=srd sd=snd se=sme sg=sag si=sin sk=slk,slo sl=slv sm=smo sn=sna so=som sq=alb,als,sqi \
sr=hbs,scc,srp ss=ssw st=sot su=sun sv=swe sw=swa,swh ta=tam te=tel tg=tgk th=tha ti=tir tk=tuk tl=tgl \
tn=tsn to=ton tr=tur ts=tso tt=tat tw=twi ty=tah ug=uig uk=ukr ur=urd uz=uzb,uzn ve=ven vi=vie vo=vol \
wa=wln wo=wol xh=xho yi=ydd,yid yo=yor za=zha zh=chi,cmn,zho zu=zul";

/// Codes that are no languages, or no longer, and what those mean who write them: old codes, and codes of countries.
const MEANT: [(&str, &str); 26] = [
    ("al", "sq"),
    ("at", "de"),
    ("by", "be"),
    ("cn", "zh"),
    ("cz", "cs"),
    ("dk", "da"),
    ("eg", "ar"),
    ("gb", "en"),
    ("ge", "ka"),
    ("gr", "el"),
    ("hk", "zh"),
    ("il", "he"),
    ("in", "id"),
    ("ir", "fa"),
    ("iw", "he"),
    ("ji", "yi"),
    ("jp", "ja"),
    ("jw", "jv"),
    // The code of Kanuri, which no paper was seen to declare.
    ("kr", "ko"),
    ("kz", "kk"),
    ("mo", "ro"),
    ("rs", "sr"),
    ("sh", "sr"),
    ("ua", "uk"),
    ("us", "en"),
    ("vn", "vi"),
];

/// The primary language of a language tag: `de` for `de-AT`, `deu` and `ger`; `ja` for `jp`. `None` if it names none.
pub(super) fn primary_language(tag: &str) -> Option<String> {
    let primary = tag.trim().split(|letter: char| !letter.is_ascii_alphabetic()).next()?.to_ascii_lowercase();
    if let Some((_, meant)) = MEANT.iter().find(|(code, _)| *code == primary) {
        return Some((*meant).to_owned());
    }
    let code = match primary.len() {
        2 => codes().find(|(short, _)| *short == primary)?.0,
        // Codes for no language, several, unknown ones and private use; and "UTF-8", which is no language either.
        3 if matches!(primary.as_str(), "und" | "mul" | "zxx" | "mis" | "utf") => return None,
        3 if ("qaa"..="qtz").contains(&primary.as_str()) => return None,
        3 => {
            let short = codes().find(|(_, long)| long.split(',').any(|code| code == primary));
            short.map_or(primary.as_str(), |(short, _)| short)
        }
        _ => return None,
    };
    Some(code.to_owned())
}

fn codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    CODES.split_ascii_whitespace().filter_map(|code| code.split_once('='))
}

/// The language that the elements around a node declare, the nearest first.
pub(super) fn language_around(tree: &PageTree, node: NodeId) -> Option<String> {
    tree.ancestors(node).find_map(|node| {
        let tag = tree.attr(node, "lang").or_else(|| tree.attr(node, "xml:lang"))?;
        primary_language(tag)
    })
}

/// The languages that a page's head declares, the most trusted first: `html lang`, `Content-Language`, `og:locale` and the like.
pub(super) fn languages_of_head(tree: &PageTree) -> Vec<String> {
    let mut found = Vec::new();
    let mut metas = Vec::new();
    for node in tree.node_ids().filter(|&node| tree.is_html(node)) {
        match tree.tag(node) {
            Some("html") => {
                let tag = tree.attr(node, "lang").or_else(|| tree.attr(node, "xml:lang"));
                found.extend(tag.and_then(primary_language));
            }
            Some("meta") => {
                let names = ["http-equiv", "property", "name", "itemprop"];
                let mut names = names.iter().filter_map(|name| tree.attr(node, name));
                let rank = names
                    .find_map(|name| META_NAMES.iter().position(|known| known.eq_ignore_ascii_case(name)));
                let language = tree.attr(node, "content").and_then(primary_language);
                metas.extend(rank.zip(language));
            }
            Some("body") => break,
            _ => {}
        }
    }
    metas.sort_by_key(|(rank, _)| *rank);
    found.extend(metas.into_iter().map(|(_, language)| language));
    found
}

/// Names of meta elements that declare the language.
const META_NAMES: [&str; 5] = ["content-language", "og:locale", "inlanguage", "dc.language", "language"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_normalised() {
        for (tag, expected) in [
            ("de-AT", "de"),
            (" PT_br ", "pt"),
            ("fr, en", "fr"),
            ("en_US.UTF-8", "en"),
            ("zh-Hant-TW", "zh"),
            ("zh-cmn-Hans", "zh"),
            ("deu", "de"),
            ("ger", "de"),
            ("cmn", "zh"),
            ("iw", "he"),
            ("in-ID", "id"),
            ("jp", "ja"),
            ("cn", "zh"),
            ("gr", "el"),
            ("kr", "ko"),
            ("ua", "uk"),
            ("cz", "cs"),
            ("dk", "da"),
            ("nb-NO", "nb"),
            ("nno", "nn"),
            ("no", "no"),
            ("se-NO", "se"),
            ("fil-PH", "fil"),
            ("yue", "yue"),
        ] {
            assert_eq!(primary_language(tag).as_deref(), Some(expected), "{tag}");
        }
        for tag in [
            "",
            "x",
            "xx",
            "und",
            "mul",
            "zxx",
            "qab",
            "x-default",
            "utf-8",
            "i-klingon",
            "english",
            "{{ lang }}",
            "日本語",
            "*",
        ] {
            assert_eq!(primary_language(tag), None, "{tag}");
        }
    }

    #[test]
    fn no_code_is_named_twice() {
        let mut all: Vec<&str> = codes().flat_map(|(short, long)| long.split(',').chain([short])).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(MEANT.is_sorted());
        assert!(
            MEANT
                .iter()
                .all(|(code, meant)| primary_language(meant).as_deref() == Some(*meant) && code != meant)
        );
    }
}
