/** Indexes to look at: films with everything a search can show, and a key to see them with. */
import type { TestServer } from "../lib/server.ts";

export const KEY = "a master key for the page";

const GENRES = ["Drama", "Comedy", "Western"];
const PLACES = [
  { lat: 48.86, lng: 2.35 },
  { lat: 52.52, lng: 13.4 },
  { lat: 41.9, lng: 12.5 },
];
/** One blue pixel. */
const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPj/HwADBwIAMCbHYQAAAABJRU5ErkJggg==";

const FILMS = Array.from({ length: 45 }, (_, id) => ({
  id,
  title: `${id % 9 === 0 ? "The quiet harbour" : "A loud mountain"} ${id}`,
  genre: GENRES[id % 3]!,
  year: 1970 + id,
  poster: PICTURE,
  _geo: PLACES[id % 3]!,
  _vectors: { mine: [Math.cos(id), Math.sin(id), 0.1] },
}));

export async function addFilms(server: TestServer): Promise<void> {
  await server.write("PATCH", "/indexes/films/settings", {
    filterableAttributes: ["genre", "year", "_geo"],
    sortableAttributes: ["year"],
    embedders: { mine: { source: "userProvided", dimensions: 3 } },
  });
  await server.write("POST", "/indexes/films/documents?primaryKey=id", FILMS);
}
