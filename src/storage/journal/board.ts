/**
 * Where each of several servers leaves a note that the others read: that it is there, and how far it is. A note replaces the
 * one before it; nobody relies on seeing each. All servers see notes in one order: whoever sees a note of its own has seen
 * every note, of whomever, that was left before it.
 */

export interface Board {
  put(name: string, note: string): Promise<void>;
  all(): Promise<Map<string, string>>;
  remove(name: string): Promise<void>;
  /** Quickly, without order, and perhaps never: what is told is only worth something now. */
  tell(name: string, news: string): void;
  /** Called with what is told, and by whom; with news of its own, too, and now and then again with the same. */
  onNews(hear: (name: string, news: string) => void): void;
  /** Called when there may be other notes. */
  onChange(changed: () => void): void;
  close(): Promise<void>;
}
