//! Pages as sites really write them. Each test is a small page with one property that makes readers fail, in one of
//! many languages. Kinds of such properties have three pages or more, most of them one on which a mend that goes too
//! far would be wrong.

use newslode_page::article::Article;
use newslode_page::extract::whatever_kind;
use newslode_page::{Page, Timestamp};

mod bytes;
mod data;
mod hidden;
mod marks;
mod pictures;
mod size;
mod text;
mod titles;

/// 2026-01-01T00:00:00Z.
const NOW: Timestamp = Timestamp(1_767_225_600_000);

/// A story in one language.
struct Story {
    language: &'static str,
    title: &'static str,
    /// Paragraphs.
    text: [&'static str; 4],
}

const DUTCH: Story = Story {
    language: "nl",
    title: "Sluiswachter van Oudega krijgt geen opvolger",
    text: [
        "De sluis bij Oudega wordt vanaf volgend voorjaar op afstand bediend. Dat heeft het waterschap maandag besloten, nadat drie oproepen voor een nieuwe sluiswachter niets hadden opgeleverd.",
        "Wieger Postma, die het werk veertig jaar deed, gaat in maart met pensioen. Hij woont in het huisje naast de sluis en mag daar van het waterschap blijven.",
        "Schippers zijn bezorgd over de storingen die elders voorkwamen. Bij Terherne stond de brug in augustus zes uur open, omdat niemand in de meldkamer de telefoon opnam.",
        "Het waterschap belooft dat er binnen een kwartier iemand ter plaatse is. Over twee jaar wordt bekeken of dat ook werkelijk zo is gegaan.",
    ],
};

const PORTUGUESE: Story = Story {
    language: "pt",
    title: "Biblioteca itinerante volta às aldeias da serra",
    text: [
        "A biblioteca itinerante voltou a subir à serra na segunda-feira, seis anos depois de a última carrinha ter avariado. Leva três mil livros e para em dezanove aldeias.",
        "O percurso demora duas semanas e recomeça de imediato. Em cada paragem, os leitores podem ficar com cinco livros e devolvê-los quinze dias depois.",
        "A câmara pagou a viatura com o dinheiro de uma herança. Uma antiga professora primária tinha deixado a casa ao município, com a condição de que servisse para ler.",
        "Na primeira manhã apareceram quarenta pessoas. A mais velha, de noventa e um anos, pediu um romance que começara em 2018 e que nunca pudera acabar.",
    ],
};

const POLISH: Story = Story {
    language: "pl",
    title: "Kolejka linowa na Czubę znów ruszyła",
    text: [
        "Kolejka linowa na Czubę ruszyła w sobotę po czternastu miesiącach przerwy. Pierwszym wagonikiem pojechali ratownicy, bo to oni przez całą zimę wnosili zapasy na plecach.",
        "Wymieniono linę nośną i wszystkie cztery napędy. Remont kosztował osiemnaście milionów złotych, czyli o trzy więcej, niż zakładano przed rozpoczęciem robót.",
        "Bilet w obie strony podrożał do dziewięćdziesięciu złotych. Mieszkańcy gminy płacą jedną trzecią tej ceny, ale muszą pokazać dowód osobisty.",
        "W pierwszy weekend na górę wjechało sześć tysięcy osób. Kierownik schroniska mówi, że tylu naleśników nie usmażył jeszcze nigdy w życiu.",
    ],
};

const FINNISH: Story = Story {
    language: "fi",
    title: "Saaren koulu avataan uudelleen yhdeksälle oppilaalle",
    text: [
        "Kunta avaa saaren koulun elokuussa uudelleen, kun saarelle on muuttanut viisi lapsiperhettä kahden vuoden aikana. Oppilaita on aluksi yhdeksän ja opettajia yksi.",
        "Koulu suljettiin vuonna 2016, ja sen jälkeen rakennusta on käytetty verkkojen varastona. Katto korjataan kesällä talkoilla, mutta ikkunat vaihtaa urakoitsija.",
        "Vanhemmat ovat kuljettaneet lapsia veneellä mantereelle, mikä kesti syksyn myrskyissä pahimmillaan kaksi tuntia. Kelirikon aikaan opetusta ei ollut lainkaan.",
        "Opettajaksi valittiin saarella syntynyt Maija Lehtola. Hän aikoo aloittaa jokaisen päivän uimalla, ja oppilaat saavat itse päättää, tulevatko mukaan.",
    ],
};

const ITALIAN: Story = Story {
    language: "it",
    title: "Il mulino di Roccaverde torna a macinare",
    text: [
        "Il mulino ad acqua di Roccaverde ha ripreso a macinare domenica, dopo un silenzio di cinquant’anni. Alla prima farina hanno assistito trecento persone, arrivate anche dalle valli vicine.",
        "A restaurarlo sono stati undici pensionati, che hanno lavorato ogni sabato per quattro inverni. Il comune ha pagato soltanto il legno della ruota.",
        "La macina è quella originale, del 1874. L’hanno trovata in un orto, dove serviva da tavolo per le merende della domenica.",
        "Ogni settimana si potranno macinare sei quintali di grano. Il pane si vende nella bottega accanto al ponte, finché ce n’è, e di solito finisce prima delle nove.",
    ],
};

const JAPANESE: Story = Story {
    language: "ja",
    title: "山あいの駅舎、カフェとして再出発",
    text: [
        "四年前に廃止された路線の駅舎が十日、カフェとして生まれ変わった。待合室の長いすや改札口はそのまま残され、初日は開店前から五十人が列を作った。",
        "店を開いたのは、三月に東京から移り住んだ夫婦である。二人は廃線の最後の日にこの駅を訪れ、いつか戻って来ようと決めていたという。",
        "コーヒーは一杯四百円で、切符の形をした券を買って注文する。地元の農家が届ける野菜を使った昼食は、一日二十食に限られる。",
        "駅長を務めた八十二歳の男性は、窓際の席に座り、列車の来ない線路をしばらく眺めていた。また明日も来ると話して帰って行った。",
    ],
};

const RUSSIAN: Story = Story {
    language: "ru",
    title: "В Лесном снова работает маяк",
    text: [
        "В посёлке Лесном снова зажёгся маяк, который не работал одиннадцать лет. В пятницу вечером его свет увидели рыбаки, возвращавшиеся с дальних банок.",
        "Линзу собрали по частям из двух музеев, а лампу поставили новую. Теперь она потребляет в десять раз меньше энергии, чем прежняя, и служит пятнадцать лет.",
        "Смотрителем назначили Павла Зорина, внука последнего хранителя маяка. Он живёт в башне с женой и двумя собаками и каждое утро поднимается на сто сорок ступеней.",
        "Летом сюда обещают пускать посетителей. Билет будет стоить двести рублей, а детей до десяти лет пропустят бесплатно, если они не боятся высоты.",
    ],
};

impl Story {
    fn paragraphs(&self) -> String {
        self.text.iter().map(|text| format!("<p>{text}</p>\n")).collect()
    }

    /// A page with a menu, this headline, `story`, links to other stories and a foot.
    fn around(&self, head: &str, story: &str) -> String {
        let Story { language, title, .. } = self;
        self.page(
            &format!("<title>{title} | Kurant</title><meta property=og:type content=article>{head}"),
            &format!("<h1>{title}</h1>{story}"),
            language,
        )
    }

    fn page(&self, head: &str, story: &str, language: &str) -> String {
        format!(
            "<!doctype html><html lang={language}><head><meta charset=utf-8>{head}</head><body>\
             <div class=top><a href=/>Kurant</a> <a href=/a>A</a> <a href=/b>B</a> <a href=/c>C</a></div>\
             <div class=content><div class=inner>{story}</div></div>\
             <div class=bottom><ul><li><a href=/x1>Kurant 1 2 3 4 5</a><li><a href=/x2>Kurant 6 7 8 9 10</a></ul>\
             <p>© Kurant 2025</p></div></body></html>"
        )
    }

    #[track_caller]
    fn check(&self, html: &str) -> Article {
        self.check_bytes(html.as_bytes())
    }

    /// Reads a page, which must give exactly this story.
    #[track_caller]
    fn check_bytes(&self, html: &[u8]) -> Article {
        let found = read_bytes(html);
        assert_eq!(found.title.as_deref(), Some(self.title));
        assert_eq!(texts(&found), self.text);
        found
    }
}

fn texts(article: &Article) -> Vec<&str> {
    article.body.iter().map(|block| block.text.as_str()).collect()
}

fn read(html: &str) -> Article {
    read_bytes(html.as_bytes())
}

fn read_bytes(html: &[u8]) -> Article {
    let url = "https://www.kurant.example/nieuws/4711-van-dag-tot-dag".parse().unwrap();
    whatever_kind(&Page::parse(&url, None, html), NOW, None)
}
