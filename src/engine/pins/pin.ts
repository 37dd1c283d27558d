/** Documents that rules put at fixed places of an answer. Shapes only. */

export interface Pin {
  /** External id of the document. */
  id: string;
  /** Counted from 0. */
  position: number;
}

/** What a query is given besides what its sender asked for. */
export interface WithPins {
  /** The most important first; absent when no rule applies. */
  pins?: readonly Pin[];
}
