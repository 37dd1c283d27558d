/**
 * Languages that change how a run is cut or normalized, and how the locale codes of settings and requests name them.
 * Every other language behaves like none, but a lone foreign locale still switches the native segmenter off (FOREIGN).
 */

export const NO_LANGUAGE = 0;
export const GERMAN = 1;
export const SWEDISH = 2;
export const CHINESE = 3;
export const JAPANESE = 4;
export const ARABIC_LANGUAGE = 5;
export const PERSIAN = 6;
/** A language without rules of its own. */
const FOREIGN = 7;

/** ISO 639-1 to 639-3, for the locales the interface accepts; the longer codes stand for themselves. */
const LONG_CODES: Record<string, string> = Object.fromEntries(
  (
    "af:afr ak:aka am:amh ar:ara az:aze be:bel bn:ben bg:bul ca:cat cs:ces da:dan de:deu el:ell en:eng eo:epo et:est " +
    "fi:fin fr:fra gu:guj he:heb hi:hin hr:hrv hu:hun hy:hye id:ind it:ita jv:jav ja:jpn kn:kan ka:kat km:khm ko:kor " +
    "la:lat lv:lav lt:lit ml:mal mr:mar mk:mkd my:mya ne:nep nl:nld nb:nob or:ori pa:pan fa:pes pl:pol pt:por ro:ron " +
    "ru:rus si:sin sk:slk sl:slv sn:sna es:spa sr:srp sv:swe ta:tam te:tel tl:tgl th:tha tk:tuk tr:tur uk:ukr ur:urd " +
    "uz:uzb vi:vie yi:yid zh:zho zu:zul"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

const LANGUAGES: Record<string, number> = {
  deu: GERMAN,
  swe: SWEDISH,
  cmn: CHINESE,
  zho: CHINESE,
  jpn: JAPANESE,
  ara: ARABIC_LANGUAGE,
  pes: PERSIAN,
};

/** The three-letter form of a locale code. */
export function longCode(locale: string): string {
  return LONG_CODES[locale] ?? locale;
}

/** What a three-letter code means to the tokenizer. */
export function languageOf(code: string): number {
  return LANGUAGES[code] ?? FOREIGN;
}
