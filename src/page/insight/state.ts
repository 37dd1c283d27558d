/** Whether this server counts what is searched, and the key of this tab may see it: found out quietly, as most servers do not. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { authorization } from "../api/client.ts";
import { key } from "../state/key.ts";

export function analyticsPath(uid: string, what: string): string {
  return `/analytics/${encodeURIComponent(uid)}/${what}`;
}

export function useHasInsight(uid: string): boolean {
  const has = useSignal(false);
  useEffect(() => {
    let isOver = false;
    // Not by the client, which asks for another key where this one is refused.
    fetch(analyticsPath(uid, "days?limit=0"), { headers: authorization() }).then(
      ({ ok }) => {
        if (!isOver) has.value = ok;
      },
      () => {},
    );
    return () => {
      isOver = true;
    };
  }, [uid, key.value]);
  return has.value;
}
