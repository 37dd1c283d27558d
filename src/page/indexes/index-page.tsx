/** One index: its fields, its documents, its settings. */
import { useEffect, useRef } from "preact/hooks";
import { DocumentsTab } from "../documents/documents-tab.tsx";
import { InsightTab } from "../insight/insight-tab.tsx";
import { useHasInsight } from "../insight/state.ts";
import { EmbeddersTab } from "../settings/embedders-tab.tsx";
import { SettingsTab } from "../settings/settings-tab.tsx";
import { linkTo } from "../state/place.ts";
import { FieldsTab } from "./fields-tab.tsx";

const TABS = [
  { name: "documents", title: "Documents", Tab: DocumentsTab },
  { name: "fields", title: "Fields", Tab: FieldsTab },
  { name: "settings", title: "Settings", Tab: SettingsTab },
  { name: "embedders", title: "Embedders", Tab: EmbeddersTab },
  { name: "insight", title: "Insight", Tab: InsightTab },
] as const;

export function IndexPage({ uid, tab }: { uid: string; tab: string | undefined }) {
  const hasInsight = useHasInsight(uid);
  const shown = TABS.find(({ name }) => name === tab) ?? TABS[0];
  const tabs = useRef<HTMLElement>(null);
  // On a phone the row of tabs is wider than the window, and the one that is shown may be out of sight.
  useEffect(() => {
    tabs.current?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [shown, hasInsight]);
  return (
    <>
      <div class="row between">
        <h1>{uid}</h1>
        <a href={linkTo("search", uid)}>Search this index</a>
      </div>
      <nav class="tabs" ref={tabs} aria-label={`Parts of ${uid}`}>
        {TABS.filter(({ name }) => name !== "insight" || hasInsight).map(({ name, title }) => (
          <a key={name} href={linkTo("indexes", uid, name)} aria-current={name === shown.name ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <shown.Tab key={uid} uid={uid} />
    </>
  );
}
