/** Which lines are wanted: a default level and levels by module, as `info` or `info,front=debug`. Parsing only. */

export const LOG_LEVELS = ["off", "error", "warn", "info", "debug", "trace"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogTarget {
  level: number;
  /** Level by module, most specific name first. */
  modules: { module: string; level: number }[];
}

export function levelNumber(level: LogLevel): number {
  return LOG_LEVELS.indexOf(level);
}

/** Null when the text is no target: empty, an unknown level, or a module without a name. */
export function parseTarget(text: string): LogTarget | null {
  const target: LogTarget = { level: 0, modules: [] };
  if (text.trim() === "") return null;
  for (const part of text.split(",")) {
    const [left, right, ...rest] = part.split("=").map((piece) => piece.trim());
    if (rest.length > 0 || !left) return null;
    const level = LOG_LEVELS.findIndex((name) => name === (right ?? left).toLowerCase());
    if (right === undefined) {
      // A bare word that is no level names a module that is wanted whole.
      if (level >= 0) target.level = level;
      else if (/^[\w:./-]+$/.test(left)) target.modules.push({ module: left, level: levelNumber("trace") });
      else return null;
    } else {
      if (level < 0) return null;
      target.modules.push({ module: left, level });
    }
  }
  target.modules.sort((a, b) => b.module.length - a.module.length);
  return target;
}

export function isWanted(target: LogTarget, level: number, module: string): boolean {
  for (const rule of target.modules) if (module.startsWith(rule.module)) return level <= rule.level;
  return level <= target.level;
}

/** The most verbose level any module could reach: what the cheap early check compares with. */
export function highestLevel(target: LogTarget): number {
  return target.modules.reduce((highest, rule) => Math.max(highest, rule.level), target.level);
}
