/**
 * Where each of several servers leaves a note that the others read: that it is there, and how far it is. A note replaces the
 * one before it; nobody relies on seeing each.
 */

export interface Board {
  put(name: string, note: string): Promise<void>;
  all(): Promise<Map<string, string>>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}
