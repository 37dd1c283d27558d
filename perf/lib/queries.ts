/**
 * What is asked of each corpus: words by class, searches with filters, facets and formatting, and titles. Real collections have
 * lists written by hand; for any other the words are taken from its own documents.
 */
import { type Corpus, spreadDocuments } from "./corpus.ts";
import { derivedQueries, NOWHERE } from "./derived-queries.ts";

export const QUERY_CLASSES = [
  "common word",
  "one letter",
  "prefix",
  "one word",
  "two words",
  "typo",
  "phrase",
  "long",
  "nothing found",
] as const;
type QueryClass = (typeof QUERY_CLASSES)[number];
export type WordQueries = Record<QueryClass, string[]>;
export type SearchBody = Record<string, unknown>;

interface QuerySet {
  words: WordQueries;
  /** With filters, facets, sorting, highlighting, cropping. */
  options: SearchBody[];
  /** Names of documents, the way people look for a thing they know. */
  titles: string[];
}

const TITLES = 200;
const TITLE_CHARACTERS_MAX = 40;
const PER_CLASS = 4;

const WRITTEN: Record<string, WordQueries> = {
  movies: {
    "common word": ["and", "of", "life", "young"],
    "one letter": ["s", "a", "m", "w"],
    prefix: ["ter", "mou", "adv", "kin"],
    "one word": ["shark", "vampire", "casablanca", "robot"],
    "two words": ["haunted house", "bank robbery", "blue velvet", "time machine"],
    typo: ["godfathr", "termnator", "pirats caribean", "gladiater"],
    phrase: ['"high school"', '"serial killer"', '"world war" pilot', '"first love"'],
    long: [
      "a retired detective is hired to follow the wife of an old friend",
      "two brothers inherit a farm and have to live together again",
      "group of students lost in the woods with a camera",
      "girl who moves to a small town and falls in love",
    ],
    "nothing found": NOWHERE,
  },
  films: {
    "common word": ["and", "his", "film", "american"],
    "one letter": ["r", "a", "c", "b"],
    prefix: ["ste", "mar", "cow", "gre"],
    "one word": ["western", "hitchcock", "musical", "chaplin"],
    "two words": ["gold rush", "film noir", "cary grant", "silent comedy"],
    typo: ["hichcock", "marylin monro", "frankenstien", "westren"],
    phrase: ['"san francisco"', '"based on the novel"', '"love story"', '"los angeles"'],
    long: [
      "american silent comedy film directed by and starring a famous clown",
      "crime drama about a lawyer who defends a man he knows is guilty",
      "story of a family that loses its ranch during the depression",
      "science fiction film about the first journey to another planet",
    ],
    "nothing found": NOWHERE,
  },
  packages: {
    "common word": ["for", "files", "library", "package"],
    "one letter": ["l", "r", "g", "a"],
    prefix: ["net", "kde", "gir", "ope"],
    "one word": ["editor", "compiler", "firewall", "spreadsheet"],
    "two words": ["text editor", "image viewer", "mail client", "perl module"],
    typo: ["databse", "encrpytion", "compresion libary", "emulatr"],
    phrase: ['"shared library"', '"command-line tool"', '"static library" development', '"transitional package"'],
    long: [
      "tool to convert audio files from one format to another",
      "graphical program to manage photos on the desktop",
      "headers and static libraries needed to build programs",
      "small and fast web server with support for modules",
    ],
    "nothing found": NOWHERE,
  },
  entries: {
    "common word": ["of", "noun", "in", "to"],
    "one letter": ["s", "a", "m", "b"],
    prefix: ["uni", "ver", "str", "bea"],
    "one word": ["bridge", "freedom", "pferd", "chanson"],
    "two words": ["old man", "sea bird", "to give", "small boat"],
    typo: ["seperate", "necesary", "definately", "recieve letter"],
    phrase: ['"kind of"', '"in the"', '"a person who"', '"make use of"'],
    long: [
      "a small animal that lives in the water and eats plants",
      "the act of giving something back to its owner",
      "a person who believes that all people are equal",
      "used to say that something will happen very soon",
    ],
    "nothing found": NOWHERE,
  },
};

const OPTIONS: Record<string, SearchBody[]> = {
  movies: [
    { q: "house", filter: "genres = Horror", facets: ["genres"] },
    { q: "", filter: "release_date < 500000000 AND genres = Drama", sort: ["release_date:desc"] },
    { q: "summer", attributesToHighlight: ["title", "overview"], attributesToCrop: ["overview"], cropLength: 15 },
    { q: "night", facets: ["genres"], showRankingScore: true },
  ],
  films: [
    { q: "murder", filter: "decade = 1940", facets: ["genres", "decade"] },
    { q: "", filter: "year > 1990 AND genres = Comedy", sort: ["year:asc"] },
    { q: "train", attributesToHighlight: ["*"], attributesToCrop: ["overview"] },
    { q: "john", facets: ["cast"], attributesToSearchOn: ["cast"] },
  ],
  packages: [
    { q: "editor", filter: "section = editors", facets: ["section", "priority"] },
    { q: "", filter: "section IN [games, graphics]", sort: ["installed_size:desc"] },
    { q: "server", attributesToHighlight: ["name", "summary"], attributesToCrop: ["description"] },
    { q: "ruby", facets: ["maintainer", "section"], hitsPerPage: 10 },
  ],
  entries: [
    { q: "bird", filter: "to = eng", facets: ["from", "dict"] },
    { q: "", filter: "from = fra AND to = deu" },
    { q: "stone", attributesToHighlight: ["definition"], attributesToCrop: ["definition"] },
    { q: "light", filter: "from != eng", facets: ["to"] },
  ],
  synthetic: [
    { q: "", filter: "category = category-3 AND number > 5000", sort: ["number:asc"] },
    { q: "", facets: ["category"], limit: 0 },
  ],
};

export function querySet(corpus: Corpus): QuerySet {
  const words = WRITTEN[corpus.uid] ?? derivedQueries(corpus, PER_CLASS);
  const options = [...(OPTIONS[corpus.uid] ?? [])];
  const [first, second] = words["two words"];
  options.push({ q: first, attributesToHighlight: ["*"], showMatchesPosition: true }, { q: second, page: 1 });
  return { words, options, titles: titlesOf(corpus, TITLES) };
}

export function allWords(words: WordQueries): string[] {
  return QUERY_CLASSES.flatMap((name) => words[name]);
}

/** The field that comes first in the settings is what documents are called by. */
export function titlesOf(corpus: Corpus, count: number): string[] {
  const titles = spreadDocuments(corpus, count).map((document) =>
    `${document[corpus.searchable[0]!] ?? ""}`.slice(0, TITLE_CHARACTERS_MAX).toWellFormed().trim(),
  );
  return titles.filter((title) => title !== "");
}
