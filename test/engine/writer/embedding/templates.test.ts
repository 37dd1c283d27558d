import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { JsonObject } from "../../../../src/base/json/value.ts";
import { DocumentTemplate } from "../../../../src/engine/vector/template/document.ts";
import { Fragment } from "../../../../src/engine/vector/template/fragment.ts";
import {
  AGAIN,
  compileTemplate,
  MissingVariable,
  TemplateFailure,
  truncateBytes,
} from "../../../../src/engine/vector/template/template.ts";
import { DEFAULT_DOCUMENT_TEMPLATE } from "../../../../src/storage/settings/templates.ts";

const LONG = 100_000;

function render(text: string, document: JsonObject, bytesMax = LONG): string {
  return new DocumentTemplate(text, bytesMax, (field) => !field.startsWith("hidden")).render(structuredClone(document));
}

const DOCUMENT: JsonObject = {
  id: 7,
  title: "The fox",
  tags: ["a", "b"],
  place: { city: "Rome", at: [1, 2] },
  nothing: null,
  hiddenNote: "x",
  _geo: { lat: 1, lng: 2 },
};

test("members of a document stand where the template names them", () => {
  assert.equal(render("{{doc.title}} in {{ doc.place.city }}", DOCUMENT), "The fox in Rome");
  assert.equal(render("{{doc.tags}}|{{doc.place}}|{{doc.nothing}}|{{doc.id}}", DOCUMENT), "ab|cityRomeat12||7");
  assert.equal(render("{{doc.title | upcase}} {{doc.tags | join: '-'}}", DOCUMENT), "THE FOX a-b");
  assert.equal(
    render("{% for tag in doc.tags %}{{tag}};{% endfor %}{{doc.place | append: '!'}}", DOCUMENT),
    "a;b;cityRomeat12!",
  );
});

test("a member that is missing is told by its name, unless the template only asks whether it is there", () => {
  for (const text of ["{{doc.nope}}", "{{ doc.place.nope }}", "{{doc.nope | upcase}}", "{{ doc.title.nope.more }}"]) {
    assert.throws(() => render(text, DOCUMENT), MissingVariable, text);
  }
  assert.equal(render("{% if doc.nope %}yes{% else %}no{% endif %}", DOCUMENT), "no");
  assert.equal(render("{{ doc.nope | default: 'none' }}", DOCUMENT), "none");
});

// The interface, embedder object, documentTemplate: "a missing field has value nil"
test("a field that other documents of the index have is nil", () => {
  const fieldOrder = ["id", "title", "subtitle", "__proto__", "_vectors", "_geo"];
  const shown = (text: string) =>
    new DocumentTemplate(text, 400, () => true, fieldOrder).render({ id: 7, title: "fox" });
  assert.equal(shown("{{doc.title}}{{doc.subtitle}}!"), "fox!");
  assert.equal(shown("{{doc.subtitle | default: 'none'}} {{doc.title | upcase}}"), "none FOX");
  const listed =
    "{% for f in fields %}{{f.name}}={% if f.value == nil %}nil{% else %}{{f.value}}{% endif %} {% endfor %}";
  assert.equal(shown(listed), "id=7 title=fox subtitle=nil __proto__=nil ");
  assert.throws(() => shown("{{doc.nowhere}}"), MissingVariable);
});

test("what belongs to the language is not taken for a member, nor what belongs to the engine", () => {
  assert.equal(render("{{doc.tags.size}} {{doc.tags.first}} {{doc.tags.last}}", DOCUMENT), "2 a b");
  for (const text of ["{{doc.constructor}}", "{{doc.toString}}", "{{doc.title.length}}", "{{doc.__proto__.x}}"]) {
    assert.throws(() => render(text, DOCUMENT), MissingVariable, text);
  }
});

test("members may be named like those of the language", () => {
  const document = { place: { toString: ["a"], valueOf: 1, constructor: "c" } };
  assert.equal(render("{{doc.place | append: '!'}}", document), "toStringavalueOf1constructorc!");
  assert.equal(render("{% if true %}{{doc.place}}{% endif %}", document), "toStringavalueOf1constructorc");
});

test("the default template shows the searchable fields, as the interpreter would", () => {
  const interpreted = `${DEFAULT_DOCUMENT_TEMPLATE}{% comment %}not the default one{% endcomment %}`;
  assert.equal(render(DEFAULT_DOCUMENT_TEMPLATE, DOCUMENT), "id: 7\ntitle: The fox\ntags: ab\nplace: cityRomeat12\n");
  const member = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
  const documents = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/),
    fc.oneof(member, fc.dictionary(fc.string(), member)),
  );
  fc.assert(
    fc.property(documents, fc.integer({ min: 1, max: 60 }), (document, bytesMax) => {
      const given = JSON.parse(JSON.stringify(document)) as JsonObject;
      assert.equal(render(DEFAULT_DOCUMENT_TEMPLATE, given, bytesMax), render(interpreted, given, bytesMax));
    }),
    { numRuns: 200 },
  );
});

test("text is cut between characters, at most at the given number of bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 0, max: 40 }), (text, bytesMax) => {
      const cut = truncateBytes(text, bytesMax);
      const whole = Buffer.from(text).toString();
      assert.ok(whole.startsWith(cut) || Buffer.byteLength(text) <= bytesMax);
      assert.ok(Buffer.byteLength(cut) <= bytesMax);
      assert.ok(!cut.endsWith("\uFFFD") || whole.includes("\uFFFD"));
    }),
  );
  assert.equal(render("{{doc.title}}", { title: "aé" }, 2), "a");
});

test("a template that takes too long, or too much, is given up", () => {
  const endless = compileTemplate("{% for i in (1..100000000) %}{{i}}{% endfor %}", { ms: 20, tries: 1 });
  assert.throws(() => endless.render({}), TemplateFailure);
  assert.throws(() => compileTemplate("{% if %}", AGAIN), TemplateFailure);
  assert.throws(() => compileTemplate("{% include 'secret' %}", AGAIN).render({}), TemplateFailure);
});

test("a fragment is JSON with templates inside, and nothing at all when something is missing", () => {
  const fragment = new Fragment({ name: "f", value: { type: "text", parts: ["{{doc.a}}", 1, null] } }, AGAIN);
  assert.deepEqual(fragment.render({ doc: { a: "x" } }), { type: "text", parts: ["x", 1, null] });
  assert.equal(fragment.render({ doc: {} }), undefined);
});
