"""Which words say that something is denied, changed, asked or only supposed? English and German.

Other languages lose what depends on these words; numbers, dates, versions and codes do not.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GERMAN: Final = _words(
    "der die das den dem des ein eine einen einem einer ist sind war wird werden wurde und oder mit ohne auf für von"
    " vom zum zur nicht kein keine keinen ich wir er ihr mein meine unser unsere hat haben bei nach seit um im am beim"
    " sich als auch noch nur wenn heißt beträgt jetzt dass täglich nimmt wohnt isst mag"
)
ENGLISH: Final = _words(
    "the a an is are was were be been has have had and or with without on in at for of from to not no i we he she"
    " they my our his her their it its does do did if when now that this by as only every"
)

NEGATION: Final = _words(
    "not no never none nobody nothing neither nor hardly nicht kein keine keinen keinem keiner keines keinerlei nie"
    " niemals niemand niemanden nichts weder kaum"
)
OPPOSITES: Final = {  # a word → the word that it denies
    "closed": "open", "disabled": "enabled", "without": "with", "inactive": "active", "invalid": "valid",
    "unpaid": "paid", "untrue": "true", "impossible": "possible", "unavailable": "available",
    "unsupported": "supported",
    "optional": "required", "forbidden": "allowed", "prohibited": "allowed", "hate": "like", "hates": "like",
    "hated": "like", "dislike": "like", "dislikes": "like", "detest": "like", "detests": "like", "refuses": "accepts",
    "geschlossen": "offen", "deaktiviert": "aktiviert", "ausgeschaltet": "eingeschaltet", "ohne": "mit",
    "inaktiv": "aktiv", "ungültig": "gültig", "unbezahlt": "bezahlt", "unmöglich": "möglich", "verboten": "erlaubt",
    "hasst": "mag", "hasse": "mag",
}  # fmt: skip
EQUALS: Final = {  # other words for the same
    "love": "like", "loves": "like", "loved": "like", "likes": "like", "enjoy": "like", "enjoys": "like",
    "adores": "like", "everyone": "everybody", "vacation": "holiday", "color": "colour", "favorite": "favourite",
    "offen": "offen", "geöffnet": "offen", "liebt": "mag", "liebe": "mag", "permitted": "allowed",
    "gestattet": "erlaubt", "cell": "mobile", "telephone": "phone", "weekly": "week", "daily": "day", "täglich": "tag",
}  # fmt: skip
NOT_NEGATION: Final = (
    r"\bnot only\b|\bnot just\b|\bno problem\b|\bnothing more than\b|\bno doubt\b|\bno matter\b|\bnicht nur\b"
    r"|\bcan['’]?t wait\b|\bcan not wait\b|\bnothing like\b|\bnot bad\b|\bkein problem\b"
    r"|\bnichts lieber als\b|\bwhy not\b|\bnot to mention\b|\bif not\b|\bno\.(?=\s*\d)|\bno worries\b"
    r"|\b(?:do )?not (?:forget|hesitate)(?: to)?\b|\bvergiss nicht(?: zu)?\b"
)
NO_LONGER: Final = r"\bno longer\b|\bnot\b(.*)\b(?:any ?more|any longer)\b|\b(nicht|kein\w*)\b(.*)\bmehr\b"

UPDATE: Final = _words(
    "now anymore moved postponed rescheduled changed raised lowered increased decreased reset switched renamed"
    " replaced migrated updated upgraded downgraded extended shortened instead new newly currently since resolved"
    " jetzt nun neuerdings inzwischen mittlerweile neu neue neuer neues neuen verschoben verlegt geändert erhöht"
    " gesenkt umgezogen umgestellt gewechselt ersetzt aktualisiert verlängert verkürzt stattdessen seit behoben"
)
UPDATE_PHRASES: Final = (
    r"\bfrom now on\b|\bas of (?:now|today)\b|\bafter all\b|\bchange of plan\b|\bcorrection\b|\bupdate\b|\binstead of\b"
    r"|\bno longer\b|\bab (?:jetzt|sofort)\b"
    r"|\bvon nun an\b|\bdoch nicht\b"
    r"|\bseit (?:gestern|heute)\b"
    r"|\bab (?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)\b"
)
FRAMES: Final = (  # a stretch of time that a sentence is about
    r"\b(?:last|this|next) (?:week|month|year|season|spring|summer|autumn|fall|winter|time)\b"
    r"|\b(?:letzte|diese|nächste)[nrs]? (?:woche|monat|jahr|frühling|sommer|herbst|winter|mal)\b"
)
ANAPHORA: Final = (  # "they changed the door code, it is 2046 now"
    r"^(?:.*?\b(?:changed|moved|raised|lowered|replaced|reset)\s+)((?:the|my|our)\s[^,;.]{2,60}),"
    r"\s*(?:it|the new one)(?:'s|\s+is)\s+"
)
REASONS: Final = r",?\s+\b(?:because|since|seitdem|seit|weil|so that|damit|due to|wegen|after)\b.*$"
MOVES: Final = _words(
    "moved switched migrated changed postponed umgezogen gewechselt gezogen zog wechselte verlegt relocated"
)
STATES: Final = _words("lives live uses use runs run works work wohnt lebt nutzt benutzt verwendet arbeitet is")
LIGHT: Final = _words(  # said with a value, not about it
    "set planned scheduled booked put kept given running runs just already still also yet even really actually"
    " currently hey hi hello yeah yes wow oh definitely well okay ok thanks hallo ja danke today only mostly everybody"
    " everyone usually always often sometimes please note remember stored user's gesetzt geplant eingestellt gerade"
    " schon noch auch eben wirklich eigentlich aktuell immer meist meistens oft gerne gern bitte nur ab heute wieder"
    " sehr"
)
DROPPED: Final = _words(
    "the an is are was were be been being has have had having do does did will would shall should am there it its"
    " this that these those i me my mine we us our ours you your yours he him his she her hers they them their theirs"
    " which who whom as so than then too one's s of for to in on at by from into onto with about over under per via"
    " and or but der die das den dem des ein eine einen einem einer eines ist sind war waren wird werden wurde wurden"
    " worden sein bin bist hat habe haben hatte hatten soll sollen ich mich mir mein meine meinen meinem meiner wir"
    " uns unser unsere unseren unserem unserer du dich dir dein deine er ihn ihm sein seine seinen sie ihr ihre ihren"
    " es man sich dass als so von vom für zu zum zur im in ins am an auf bei beim mit durch um aus nach über unter und"
    " oder aber bis"
)
BREAKS: Final = _words(  # between two differing words they begin another slot
    "of for to in on at by from into with about over under per via and or but than until since between von vom für zu"
    " zum zur im in ins am an auf bei beim mit durch um aus nach über unter pro und oder aber bis seit"
)
APPROXIMATE: Final = _words(
    "about around some roughly approximately nearly almost circa ca etwa ungefähr rund knapp fast"
)
ABILITY: Final = _words("can could may might kann können könnte darf dürfen möchte")
ADVICE: Final = _words("should could would let's lets sollten sollte könnten würde")
POINTING: Final = _words("it it's this that that's these those es das dies they")
SUPPOSED: Final = (
    r"\bfor example\b|\be\.g\.|\bfor instance\b|\bsuch as\b|\bzum beispiel\b|\bz\. ?b\.|\bwhat if\b|\bwrong:|\bfalsch:"
    r"|\bimagine\b|\bsuppose\b|\bangenommen,|^(?:if|when|whenever|wenn|falls|sobald|unless)\b"
)
TODAY: Final = (
    r"\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening|week|month)\b|\byesterday\b|\btomorrow\b|\bjust now\b"
    r"|\bheute\b|\bgestern\b|\bmorgen\b|\bdiese woche\b|\bfor (?:breakfast|lunch|dinner)\b|\blast night\b"
)
PAST: Final = _words(  # said of an event that can happen again
    "paid bought ate went saw met walked ran spent had worked visited watched read cooked called drank slept swam"
    " cycled played sold ordered received sent took made did talked finished weighed measured scored won lost gave got"
    " bezahlt gekauft gegessen gelaufen gesehen getroffen besucht gegangen gekocht getrunken geschlafen gespielt"
    " verkauft bestellt bekommen aß ging sah lief kaufte zahlte traf"
)
PRONOUNS: Final = _words("i we he she they you ich wir er sie du ihr")
FIRST_PERSON: Final = _words("i me my mine myself ich mich mir mein meine meinen meinem meiner you your du dein deine")

VERBS: Final = _words(
    "loves hates love hate am lost expired coming go goes going come comes geht gehe gehen esse trinke wohne"
    " arbeite is are was were be"
    " been has have had does do did will would should must can cannot may runs run takes take weighs weigh costs cost"
    " owes owe lives live works work drives drive speaks prefers prefer likes like eats eat drinks drink listens"
    " leaves leave departs arrives starts start begins ends opens closes lasts last requires require needs need uses"
    " use supports support means resolves expires pays pay asks wants gets get keeps kept settled contains holds"
    " serves says said shipped signed ran turned moved owns manages leads reports plays smokes drives stays staying"
    " meets meet meeting happens belongs named called became set raised lowered said planned ist sind war waren wird"
    " werden wurde wurden hat haben hatte kann können muss müssen soll darf will möchte läuft laufen nimmt nehmen"
    " wiegt kostet kosten schuldet wohnt lebt arbeitet fährt spricht mag mögen isst trinkt horcht kommt beginnt endet"
    " öffnet schließt dauert dauern braucht benutzt benutzen verwendet unterstützt bedeutet zahlt bekommt heißt heißen"
    " beträgt betragen liegt lautet gilt gehört bleibt bleiben findet hatte steht stehen leitet bearbeitet raucht"
    " verträgt betrug zieht spielt"
)
COUNTED: Final = _words(  # a number after such a word says which one, unless a verb came before
    "invoice ticket chapter step error room sample customer release version firmware order flight day page line case"
    " item level phase stage table figure section unit number no nr release model patient user id port platform"
    " rechnung kapitel schritt fehler zimmer probe kunde auftrag flug tag seite zeile fall stufe phase tabelle"
    " abschnitt bestellung"
)

ATTRIBUTES: Final = _words(  # has one value at a time
    "name password passphrase code pin address number owner lead leader boss manager bank branch host hostname model"
    " doctor dentist colour husband wife partner plan tariff theme mode status state language key location room gate"
    " birthday type default favourite capital currency size deadline supervisor landlord teacher coach email url"
    " domain region zone provider username account nickname order team passwort kennwort adresse nummer inhaber"
    " inhaberin leitung chef chefin modell arzt ärztin farbe mann frau tarif zustand sprache schlüssel ort raum"
    " geburtstag standard größe frist vermieter lehrer lehrerin trainer konto anbieter teamleitung projektleitung"
    " lieferadresse rechnungsadresse handynummer telefonnummer"
)
FUNCTIONAL: Final = _words(  # with such a verb there is one value at a time
    "live lives reside resides works drives married engaged called named belongs assigned written resolves based"
    " located pinned heißt heißen wohnt lebt arbeitet verheiratet verlobt gehört geschrieben bearbeitet zuständig"
    " genannt statt stored seeing hosted parked"
)
CLASSES: Final = tuple(
    map(
        _words,
        (
            "red blue green yellow black white grey gray orange purple pink brown beige turquoise violet",
            "roten blauen grünen gelben schwarzen weißen grauen braunen rot blau grün gelb schwarz weiß grau braun",
            "left right linken rechten links rechts",
            "north south east west norden süden osten westen",
            "positive negative positiv negativ",
            "approved rejected declined accepted angenommen abgelehnt genehmigt",
            "on off",
            "an aus",
            "all some no none every",
            "window aisle middle",
            "dark light dunkel hell",
            "pro basic free enterprise premium basis",
            "go rust python java kotlin swift ruby typescript javascript perl php scala",
            "succeeded failed passed",
            "well badly",
            "small medium large",
            "first second third",
            "indoors outdoors drinnen draußen",
            "hot cold heiß kalt",
            "single married divorced widowed ledig verheiratet",
            "master main",
            "yarn npm pnpm",
            "full empty voll leer",
            "higher lower",
            "male female",
            "vegetarian vegan omnivore",
            "monthly yearly annually weekly",
            "inside outside",
            "morning evening",
        ),
    )
)
CHANGEABLE: Final = _words(  # said of what is bound to change
    "lives live works work drives weighs assigned pinned uses use run runs takes lead budget rent wohnt arbeitet"
    " fährt wiegt nimmt läuft miete"
)
ARTICLES: Final = _words("the a an der die das my our mein meine unser unsere")
