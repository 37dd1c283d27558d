/** The files that examples of the documentation speak of, small, in a directory of their own. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { temporaryDirectory } from "../lib/temporary.ts";

const MOVIES = [
  { id: 1, title: "Star Wars", release_date: 233366400, genres: ["Adventure"] },
  { id: 2, title: "Star Trek", release_date: 1241568000, genres: ["Adventure"] },
  { id: 3, title: "Ariel", release_date: 593395200, genres: ["Drama", "Crime"] },
];
const FILMS = [{ id: 1, name: "Emma" }];
const PARTS = ["id;name\n1;bolt\n", "id;name\n2;nut\n"];

export function exampleFiles(): string {
  const folder = temporaryDirectory();
  const put = (name: string, content: string | Uint8Array) => writeFileSync(path.join(folder, name), content);
  put("movies.ndjson", MOVIES.map((movie) => `${JSON.stringify(movie)}\n`).join(""));
  put("films.json.gz", gzipSync(JSON.stringify(FILMS)));
  for (const [i, part] of PARTS.entries()) put(`part-${i + 1}.csv.gz`, gzipSync(part));
  return folder;
}
