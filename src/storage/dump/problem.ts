/** The file is no dump, or none that can be loaded. */
export class DumpProblem extends Error {
  override readonly name = "DumpProblem";
}
