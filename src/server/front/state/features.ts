/** The experimental flags in force: defaults, then what was stored, then what the command line turns on at start. */
import { defaultFeatures, FEATURE_NAMES, type Features } from "../../../base/contract/features.ts";
import type { Store } from "../../../storage/store/store.ts";

export class FeatureFlags {
  readonly #store: Pick<Store, "features" | "write">;
  readonly #defaults: Partial<Features>;
  readonly #forced: Partial<Features>;
  #current: Features;

  constructor(store: Pick<Store, "features" | "write">, defaults: Partial<Features>, forced: Partial<Features>) {
    this.#store = store;
    this.#defaults = defaults;
    this.#forced = forced;
    this.#current = this.#read();
  }

  /** Another server has changed them. */
  onChangedElsewhere(): void {
    this.#current = this.#read();
  }

  #read(): Features {
    const stored: Partial<Features> = {};
    for (const name of FEATURE_NAMES) {
      const value = this.#store.features.get(name);
      if (typeof value === "boolean") stored[name] = value;
    }
    return { ...defaultFeatures(), ...this.#defaults, ...stored, ...this.#forced };
  }

  get current(): Features {
    return this.#current;
  }

  /** Absent flags stay as they are. Resolves once the change would survive a crash. */
  async update(changes: Partial<Features>): Promise<Features> {
    const next: Features = { ...this.#current };
    for (const name of FEATURE_NAMES) next[name] = changes[name] ?? next[name];
    await this.#store.write(() => {
      for (const name of FEATURE_NAMES) {
        if (next[name] !== this.#current[name]) this.#store.features.put(name, next[name]);
      }
    });
    this.#current = next;
    return this.#current;
  }
}
