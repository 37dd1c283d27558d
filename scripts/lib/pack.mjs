// Packs what browsers are sent, as well as it can be, since that is done once. Only the packed files stay: the server unpacks them
// for the few who cannot.
import { readFile, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
const inBrotli = promisify(brotliCompress);

/** Several at once: Node does this on threads of its own. */
export async function pack(files) {
  await Promise.all(
    files.map(async (file) => {
      await writeFile(`${file}.br`, await inBrotli(await readFile(file), OPTIONS));
      await rm(file);
    }),
  );
}
