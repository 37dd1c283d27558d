/** Files that need not be there: null stands for one that is not; whatever else keeps it from being read is thrown. */

/** `ifThere(() => readFileSync(file))` */
export function ifThere<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    return nullIfGone(error);
  }
}

/** `ifThereLater(readFile(file))` */
export function ifThereLater<Value>(reading: Promise<Value>): Promise<Value | null> {
  return reading.catch(nullIfGone);
}

/** Whether it says that there is no such file or folder. */
export function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function nullIfGone(error: unknown): null {
  if (isGone(error)) return null;
  throw error;
}
