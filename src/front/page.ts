/** The page a browser sees at `/` while developing: that the server runs, and where to go on. No scripts, no data. */

export function welcomePage(version: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sabre</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; color: #222; }
code { background: #f2f2f2; padding: .1em .3em; border-radius: 3px; }
</style>
</head>
<body>
<h1>Sabre ${version}</h1>
<p>The search server is running. Add documents with <code>POST /indexes/{uid}/documents</code> and search them with
<code>POST /indexes/{uid}/search</code>.</p>
<ul>
<li><a href="/health">Health</a></li>
<li><a href="/openapi.json">Description of the interface (OpenAPI)</a></li>
</ul>
</body>
</html>
`;
}
