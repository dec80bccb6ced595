//! Beats in English: roles, bodies and sentences of one kind of story. Data; see [`Beat`].

use super::Beat;

/// The beat of a top concept.
pub(super) fn beat(top: &str) -> Option<&'static Beat> {
    BEATS.iter().find(|(label, _)| *label == top).map(|(_, beat)| beat)
}

const BEATS: &[(&str, Beat)] = &[
    (
        "Sports",
        Beat {
            roles: &["head coach", "captain", "defender", "physiotherapist", "general manager"],
            bodies: &["the club", "the league", "the national federation", "the players’ union"],
            headlines: &[
                "{S1} eyes the {t1} as {City} win again",
                "{City} lose {n}–2 despite a brilliant {t1}",
                "{S1} back from injury for the {t1}",
                "Late {t1} lifts {City} past {city2}",
                "{City} sign {p1} and hope for a better {t1}",
            ],
            sentences: &[
                "{City} led at half-time but the {t1} turned the match.",
                "“The lads were outstanding, and the {t2} made the difference,” {s1} said after the final whistle.",
                "{City} have won {n} of their last 12 games against {city2}.",
                "It was the {t3} that brought the crowd to its feet.",
                "{p2}, {r2} since {month}, left the field with a strain and is doubtful for {day}.",
                "The visitors from {city2} never found an answer to the {t4}.",
                "With {n} matches left, the {t1} is no longer out of reach.",
                "{S2} called the {t2} “the best I have seen in this stadium”.",
                "A crowd of {n},000 saw the {t3} settle it in the last minute.",
            ],
        },
    ),
    (
        "Business",
        Beat {
            roles: &["chief executive", "analyst", "finance director", "economist", "union leader"],
            bodies: &["the company", "the central bank", "the chamber of commerce", "the pension fund"],
            headlines: &[
                "{City} firm bets {money} on the {t1}",
                "{S1} warns of a weaker {t1}",
                "Investors shrug off the {t1}",
                "Surprise {t1} shakes {City}",
                "{t1} up {pct}: what it means for savers",
            ],
            sentences: &[
                "Analysts had expected the {t1} to move by no more than {pct}.",
                "The {t2} wiped {money} off the value of the group in a single day.",
                "“Our customers do not care about the {t3}, they care about prices,” said {p1}, {r1} of {body}.",
                "In the third quarter the {t4} accounted for {pct} of revenue.",
                "{p2}, {r2}, expects the {t1} to recover by {month}.",
                "Shares in {City} closed {pct} lower after the news of the {t2}.",
                "The company employs {n},000 people in {City} and {city2}.",
                "Lenders want to see a better {t3} before they agree to another {money}.",
                "For small firms the {t4} is a question of survival.",
            ],
        },
    ),
    (
        "Technology",
        Beat {
            roles: &["founder", "engineer", "product manager", "security researcher"],
            bodies: &["the start-up", "the standards body", "the research lab", "the regulator"],
            headlines: &[
                "{S1} shows a {t1} that fits in a pocket",
                "Regulator takes a closer look at the {t1}",
                "We tried the new {t1} for {n} days",
                "The {t1} has a {t2} problem",
            ],
            sentences: &[
                "Version {n} of the {t1} will reach customers in {month}.",
                "In our test the {t2} failed after {n} hours.",
                "“Nobody reads the manual of a {t3},” said {p1}, {r1} at {body}.",
                "The {t4} was developed in {City} by a team of {n}.",
                "Security experts found that the {t1} sent data to {city2}.",
                "The price of {money} puts the {t2} out of reach for most schools.",
                "{S2} called the {t3} “a solution that is still looking for its problem”.",
            ],
        },
    ),
    (
        "Politics",
        Beat {
            roles: &["minister", "senator", "party leader", "campaign manager", "mayor"],
            bodies: &["the government", "the opposition", "the electoral commission", "parliament"],
            headlines: &[
                "{S1} survives the {t1}",
                "Opposition demands answers on the {t1}",
                "{S1} promises a fairer {t1} before the summer",
                "{City} goes to the polls over the {t1}",
            ],
            sentences: &[
                "The bill on the {t1} passed by {n} votes.",
                "“Voters in {City} deserve better than this {t2},” said {p1}, {r1} for the region.",
                "{S2} accused the government of hiding the {t3} from parliament.",
                "An inquiry into the {t4} will begin on {day}.",
                "In {city2} the party lost {pct} of its vote, and many blame the {t1}.",
                "The {t2} was not mentioned once in a speech of {n} minutes.",
                "Aides say that the {t3} will be withdrawn before {month}.",
            ],
        },
    ),
    (
        "World",
        Beat {
            roles: &["foreign minister", "aid worker", "ambassador", "envoy", "eyewitness"],
            bodies: &[
                "the United Nations",
                "the relief agency",
                "the interior ministry",
                "the observer mission",
            ],
            headlines: &[
                "Talks on the {t1} collapse in {City}",
                "{n} days that changed the {t1}",
                "Envoys return to {City} for the {t1}",
                "Hopes rise for the {t1} after {City} meeting",
            ],
            sentences: &[
                "Negotiators met in {City} until early {day} without an agreement on the {t1}.",
                "The road to {city2} has been closed since {month} because of the {t2}.",
                "“People here have lived with the {t3} for {n} years,” said {p1}, {r1} with {body}.",
                "Both sides blame each other for the {t4}.",
                "Diplomats describe the {t1} as the last open point.",
                "Local radio reported that {n} lorries had passed the {t2} by noon.",
                "{S2} asked for {money} to repair what the {t3} had destroyed.",
            ],
        },
    ),
    (
        "Science",
        Beat {
            roles: &["professor", "field biologist", "mission scientist", "laboratory head"],
            bodies: &["the university", "the observatory", "the national academy", "the survey team"],
            headlines: &[
                "Scientists in {City} find a new clue in the {t1}",
                "The {t1} is older than anyone thought",
                "What a {t1} can tell us about the {t2}",
                "{n} years of data explain the {t1}",
            ],
            sentences: &[
                "The study, which covers {n} years, appears this week and links the {t1} to the {t2}.",
                "“We repeated the measurement of the {t3} {n} times,” said {p1}, {r1} at {body}.",
                "The samples from {city2} showed {pct} more than the team had expected.",
                "Until now the {t4} had been explained in a quite different way.",
                "{S2}, who was not part of the study, calls the result on the {t1} convincing.",
                "The instrument that recorded the {t2} weighs less than {n} kilograms.",
                "The next measurement of the {t3} is planned for {month}.",
            ],
        },
    ),
    (
        "Health",
        Beat {
            roles: &["consultant", "nurse", "epidemiologist", "paediatrician"],
            bodies: &[
                "the hospital",
                "the health service",
                "the patients’ association",
                "the medical school",
            ],
            headlines: &[
                "Doctors urge caution over the {t1}",
                "{City} hospital tries a new {t1}",
                "Does the {t1} really work? {n} studies compared",
                "More {t1}, less {t2}: what doctors advise",
            ],
            sentences: &[
                "Of {n}00 patients in the trial, {pct} said that the {t1} had helped.",
                "“A {t2} is no substitute for advice,” said {p1}, {r1} at {body}.",
                "The {t3} costs the health service {money} a year.",
                "Families in {City} wait {n} weeks on average for the {t4}.",
                "{S2} recommends to begin with the {t1} and to add the {t2} later.",
                "Side effects of the {t3} were rare and mild.",
            ],
        },
    ),
    (
        "Culture",
        Beat {
            roles: &["artistic director", "novelist", "composer", "critic", "actor"],
            bodies: &["the festival", "the city museum", "the academy", "the arts council"],
            headlines: &[
                "{p1} and the art of the {t1}",
                "Review: a {t1} with a heart",
                "{City} festival opens with a daring {t1}",
                "The {t1} returns, louder than before",
            ],
            sentences: &[
                "{S1} has spent {n} years on the {t1}, and it shows.",
                "What stays in the mind is the {t2}, not the {t3}.",
                "“I never wanted the {t4} to be pretty,” {p1} told an audience in {City}.",
                "Tickets for the {t1} in {city2} were gone within {n} minutes.",
                "The first half drags, but the {t2} makes up for it.",
                "{p2}, {r2}, finds in the {t3} something close to joy.",
                "It is the {t4} that lifts the evening above the usual.",
            ],
        },
    ),
];
