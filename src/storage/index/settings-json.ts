/**
 * Settings as JSON, with the place of each member where they are long: synonyms and stop words may take megabytes, and a thread
 * that wants to know the foreign keys need not read them.
 */
import { isObject, type Json } from "../../base/json/value.ts";
import { KIB } from "../../base/limits.ts";
import { SETTING_ENTRIES, type SettingName, type Settings } from "../settings/settings.ts";
import { defaultSettings } from "../settings/update.ts";

/** Beyond this, members are read one by one, and settings are shown by a reader. */
export const LONG_SETTINGS_BYTES = 16 * KIB;

interface SettingsJson {
  bytes: Uint8Array;
  /** Of long settings: their members in order, and where the value of each ends. */
  names: readonly string[];
  ends: readonly number[];
}

/** Settings rarely change, manifests often do. */
const known = new WeakMap<Settings, SettingsJson>();

export function encodeSettings(settings: Settings): SettingsJson {
  let json = known.get(settings);
  if (json === undefined) {
    const bytes = Buffer.from(JSON.stringify(settings));
    json = bytes.length > LONG_SETTINGS_BYTES ? withMembers(settings) : { bytes, names: [], ends: [] };
    known.set(settings, json);
  }
  return json;
}

function withMembers(settings: Settings): SettingsJson {
  const members = Object.entries(settings).filter(([, value]) => value !== undefined);
  const names: string[] = [];
  const ends: number[] = [];
  const parts: Buffer[] = [];
  let length = 0;
  const add = (text: string): void => {
    const part = Buffer.from(text);
    parts.push(part);
    length += part.length;
  };
  for (const [name, value] of members) {
    add(opening(names.length, name));
    add(JSON.stringify(value));
    names.push(name);
    ends.push(length);
  }
  add("}");
  return { bytes: Buffer.concat(parts), names, ends };
}

/** What stands before the value of a member. */
function opening(position: number, name: string): string {
  return `${position === 0 ? "{" : ","}${JSON.stringify(name)}:`;
}

/**
 * The bytes must be the caller's own where there are names: each member is read when it is first looked at. What a version
 * that did not know a setting has written, or a member of one, reads as its default.
 */
export function decodeSettings({ bytes, names, ends }: SettingsJson): Settings {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const settings = defaultSettings();
  if (names.length === 0) {
    const stored = JSON.parse(json.toString("utf8")) as Record<string, Json>;
    for (const [name, value] of Object.entries(stored)) Object.assign(settings, { [name]: completed(name, value) });
    return settings;
  }
  for (const [i, name] of names.entries()) {
    const start = (ends[i - 1] ?? 0) + Buffer.byteLength(opening(i, name));
    const end = ends[i]!;
    const get = (): unknown => {
      const value = completed(name, JSON.parse(json.toString("utf8", start, end)) as Json);
      Object.defineProperty(settings, name, { value, enumerable: true, configurable: true, writable: true });
      return value;
    };
    Object.defineProperty(settings, name, { get, enumerable: true, configurable: true });
  }
  return settings;
}

/** With the members that its default has and the stored value has not. */
function completed(name: string, value: Json): Json {
  const fresh = Object.hasOwn(SETTING_ENTRIES, name) ? (SETTING_ENTRIES[name as SettingName].fresh as Json) : null;
  return isObject(fresh) && isObject(value) && Object.keys(fresh).length > 0
    ? { ...structuredClone(fresh), ...value }
    : value;
}
