/** Packages that only measurements use: they have a package.json of their own in perf/, so that the server installs without. */

/** Null when it is not installed. `Package` says what of it is used. */
export async function optionalPackage<Package>(name: string): Promise<Package | null> {
  try {
    return (await import(name)) as Package;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_MODULE_NOT_FOUND" || code === "ERR_UNKNOWN_BUILTIN_MODULE") return null;
    throw error;
  }
}
