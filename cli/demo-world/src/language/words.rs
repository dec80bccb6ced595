//! Words of profiles, tables, tabs and kickers in every language.

use super::Language;

/// The words of one language.
#[derive(Debug)]
pub(crate) struct Words {
    /// Tab of the newest stories.
    pub latest: &'static str,
    /// Words before the dates of publication and of the last change, on pages that give both.
    pub published: (&'static str, &'static str),
    /// Short texts above headlines that say how a story is told.
    pub kickers: [&'static str; 3],
    /// Labels of a profile: born, home town, languages, e-mail.
    pub facts: [&'static str; 4],
    /// Heading over former posts.
    pub career: &'static str,
    /// Languages that people speak.
    pub tongues: [&'static str; 4],
    /// Title of the page of tables.
    pub figures: &'static str,
    /// Standings: the caption and four columns.
    pub standings: [&'static str; 5],
    /// Opening hours: the caption, the corner and three places.
    pub hours: [&'static str; 5],
    /// Key facts of a town: the caption and four labels.
    pub town: [&'static str; 5],
}

impl Language {
    /// The words of this language.
    #[must_use]
    pub(crate) const fn words(self) -> &'static Words {
        match self {
            Self::English => &ENGLISH,
            Self::German => &GERMAN,
            Self::Spanish => &SPANISH,
            Self::Russian => &RUSSIAN,
            Self::Japanese => &JAPANESE,
            Self::French => &FRENCH,
            Self::Portuguese => &PORTUGUESE,
            Self::Arabic => &ARABIC,
            Self::Chinese => &CHINESE,
        }
    }
}

const ENGLISH: Words = Words {
    latest: "Latest",
    published: ("Published", "updated"),
    kickers: ["Analysis", "Interview", "In pictures"],
    facts: ["Born", "Home town", "Languages", "E-mail"],
    career: "Career",
    tongues: ["English", "Welsh", "French", "Polish"],
    figures: "Facts and figures",
    standings: ["Standings", "Team", "Played", "Won", "Points"],
    hours: ["Opening hours", "Day", "Library", "Town hall", "Museum"],
    town: ["The town in brief", "Inhabitants", "Area", "Mayor", "Founded"],
};

const GERMAN: Words = Words {
    latest: "Neueste",
    published: ("Veröffentlicht", "aktualisiert"),
    kickers: ["Analyse", "Interview", "Bilderstrecke"],
    facts: ["Geboren", "Wohnort", "Sprachen", "E-Mail"],
    career: "Werdegang",
    tongues: ["Deutsch", "Englisch", "Türkisch", "Dänisch"],
    figures: "Zahlen und Fakten",
    standings: ["Tabelle", "Verein", "Spiele", "Siege", "Punkte"],
    hours: ["Öffnungszeiten", "Tag", "Bücherei", "Rathaus", "Museum"],
    town: ["Die Stadt in Kürze", "Einwohner", "Fläche", "Bürgermeisterin", "Gegründet"],
};

const SPANISH: Words = Words {
    latest: "Últimas",
    published: ("Publicado", "actualizado"),
    kickers: ["Análisis", "Entrevista", "En imágenes"],
    facts: ["Nacimiento", "Residencia", "Idiomas", "Correo"],
    career: "Trayectoria",
    tongues: ["español", "inglés", "gallego", "francés"],
    figures: "Datos y cifras",
    standings: ["Clasificación", "Equipo", "Partidos", "Victorias", "Puntos"],
    hours: ["Horarios", "Día", "Biblioteca", "Ayuntamiento", "Museo"],
    town: ["La ciudad en breve", "Habitantes", "Superficie", "Alcaldesa", "Fundación"],
};

const RUSSIAN: Words = Words {
    latest: "Последние",
    published: ("Опубликовано", "обновлено"),
    kickers: ["Анализ", "Интервью", "Фоторепортаж"],
    facts: ["Год рождения", "Родной город", "Языки", "Почта"],
    career: "Карьера",
    tongues: ["русский", "английский", "татарский", "немецкий"],
    figures: "Цифры и факты",
    standings: ["Турнирное положение", "Команда", "Игры", "Победы", "Очки"],
    hours: ["Часы работы", "День", "Библиотека", "Мэрия", "Музей"],
    town: ["Коротко о городе", "Население", "Площадь", "Мэр", "Основан"],
};

const JAPANESE: Words = Words {
    latest: "新着",
    published: ("公開", "更新"),
    kickers: ["解説", "インタビュー", "写真特集"],
    facts: ["生年", "出身地", "言語", "メール"],
    career: "経歴",
    tongues: ["日本語", "英語", "韓国語", "フランス語"],
    figures: "データで見る",
    standings: ["順位表", "チーム", "試合", "勝ち", "勝点"],
    hours: ["開館時間", "曜日", "図書館", "市役所", "博物館"],
    town: ["町の概要", "人口", "面積", "市長", "市制施行"],
};

const FRENCH: Words = Words {
    latest: "En continu",
    published: ("Publié", "mis à jour"),
    kickers: ["Analyse", "Entretien", "En images"],
    facts: ["Naissance", "Domicile", "Langues", "Courriel"],
    career: "Parcours",
    tongues: ["français", "anglais", "breton", "arabe"],
    figures: "Faits et chiffres",
    standings: ["Classement", "Équipe", "Matchs", "Victoires", "Points"],
    hours: ["Horaires d’ouverture", "Jour", "Bibliothèque", "Mairie", "Musée"],
    town: ["La ville en bref", "Habitants", "Superficie", "Maire", "Fondation"],
};

const PORTUGUESE: Words = Words {
    latest: "Últimas notícias",
    published: ("Publicado", "atualizado"),
    kickers: ["Análise", "Entrevista", "Em imagens"],
    facts: ["Nascimento", "Cidade natal", "Idiomas", "E-mail"],
    career: "Carreira",
    tongues: ["português", "inglês", "espanhol", "alemão"],
    figures: "Dados e números",
    standings: ["Classificação", "Time", "Jogos", "Vitórias", "Pontos"],
    hours: ["Horário de funcionamento", "Dia", "Biblioteca", "Prefeitura", "Museu"],
    town: ["A cidade em resumo", "Habitantes", "Área", "Prefeita", "Fundação"],
};

const ARABIC: Words = Words {
    latest: "آخر الأخبار",
    published: ("نشر في", "آخر تحديث"),
    kickers: ["تحليل", "مقابلة", "بالصور"],
    facts: ["سنة الميلاد", "مكان الإقامة", "اللغات", "البريد"],
    career: "المسيرة المهنية",
    tongues: ["العربية", "الإنجليزية", "الفرنسية", "التركية"],
    figures: "حقائق وأرقام",
    standings: ["جدول الترتيب", "الفريق", "المباريات", "الفوز", "النقاط"],
    hours: ["ساعات العمل", "اليوم", "المكتبة", "البلدية", "المتحف"],
    town: ["المدينة باختصار", "السكان", "المساحة", "رئيس البلدية", "التأسيس"],
};

const CHINESE: Words = Words {
    latest: "最新消息",
    published: ("发布时间", "更新时间"),
    kickers: ["深度分析", "专访", "图集"],
    facts: ["出生年份", "家乡", "语言", "邮箱"],
    career: "工作经历",
    tongues: ["汉语", "英语", "日语", "法语"],
    figures: "数据一览",
    standings: ["积分榜", "球队", "场次", "胜场", "积分"],
    hours: ["开放时间", "日期", "图书馆", "市政厅", "博物馆"],
    town: ["城市概况", "人口", "面积", "市长", "建市"],
};
