/** How much a model may look up in one conversation. Whatever it asks for beyond is not looked up, and it is told so. */

export interface ChatBounds {
  /** Turns of the model. */
  rounds: number;
  /** Searches in one turn, and in all. */
  callsPerRound: number;
  calls: number;
  /** Characters of what it asks for in one search. */
  parametersUnits: number;
  /** Characters of what one search tells it. */
  resultUnits: number;
  /** For everything, with what the model takes. */
  talkMs: number;
}

export const CHAT_BOUNDS: ChatBounds = {
  rounds: 20,
  callsPerRound: 16,
  calls: 64,
  parametersUnits: 32 * 1024,
  resultUnits: 128 * 1024,
  talkMs: 600_000,
};

/** A model that asks for more at once has lost its way. */
export const CALLS_HEARD_MAX = 256;

/** What is shown of a text that is too long. */
export function cutResult(text: string, { resultUnits }: ChatBounds): string {
  return text.length <= resultUnits ? text : `${text.slice(0, resultUnits)}\n(The rest is too long to be shown.)`;
}
