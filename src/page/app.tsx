/** The frame of every page: where one can go, the key, the colours, and the page that the address names. */
import type { ComponentChild } from "preact";
import { useEffect } from "preact/hooks";
import { ChatPage } from "./chat/chat-page.tsx";
import { IndexPage } from "./indexes/index-page.tsx";
import { IndexesPage } from "./indexes/indexes-page.tsx";
import { KeyButton } from "./key-dialog.tsx";
import { KeysPage } from "./keys/keys-page.tsx";
import { Notices } from "./parts/notices.tsx";
import { SearchPage } from "./search/search-page.tsx";
import { ServerPage } from "./server/server-page.tsx";
import { linkTo, place } from "./state/place.ts";
import { theme } from "./state/theme.ts";
import { THEME_NAMES, THEMES, type Theme } from "./state/themes.ts";
import { TasksPage } from "./tasks/tasks-page.tsx";

interface Section {
  name: string;
  title: string;
  /** `rest`: the words of the address behind the name. */
  show(rest: readonly string[]): ComponentChild;
}

const SECTIONS: readonly Section[] = [
  { name: "search", title: "Search", show: ([uid]) => <SearchPage uid={uid} /> },
  {
    name: "indexes",
    title: "Indexes",
    show: ([uid, tab]) => (uid === undefined ? <IndexesPage /> : <IndexPage uid={uid} tab={tab} />),
  },
  { name: "tasks", title: "Tasks", show: () => <TasksPage /> },
  { name: "keys", title: "Keys", show: () => <KeysPage /> },
  { name: "chat", title: "Chat", show: () => <ChatPage /> },
  { name: "server", title: "Server", show: () => <ServerPage /> },
];

export function App() {
  const [name, ...rest] = place.value;
  const section = SECTIONS.find((each) => each.name === name) ?? SECTIONS[0]!;
  useEffect(() => {
    document.title = `${section.title} · Sabre`;
  }, [section]);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        To the content
      </button>
      <header class="top">
        <a class="brand" href={linkTo()}>
          Sabre
        </a>
        <nav aria-label="Sections">
          {SECTIONS.map((each) => (
            <a key={each.name} href={linkTo(each.name)} aria-current={each === section ? "page" : undefined}>
              {each.title}
            </a>
          ))}
        </nav>
        <div class="row">
          <a href="/docs">Docs</a>
          <ThemeChoice />
          <KeyButton />
        </div>
        <Notices />
      </header>
      <main id="main" tabIndex={-1}>
        {section.show(rest)}
      </main>
    </>
  );
}

function ThemeChoice() {
  return (
    <select
      aria-label="Colours"
      value={theme.value}
      onChange={(event) => {
        theme.value = event.currentTarget.value as Theme;
      }}
    >
      {THEMES.map((each) => (
        <option key={each} value={each} selected={each === theme.value}>
          {THEME_NAMES[each]}
        </option>
      ))}
    </select>
  );
}
