/** With which status the program ends when it does not end well. */
export const EXIT_FAILURE = 1;
/** What was asked for makes no sense. */
export const EXIT_USAGE = 2;
