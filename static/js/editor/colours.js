// Colours are names of our own sheet, so that the theme may change under an open editor.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

export const colours = syntaxHighlighting(HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: "tok-key" },
  { tag: [tags.string, tags.content], class: "tok-text" },
  { tag: [tags.number, tags.bool, tags.null], class: "tok-value" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], class: "tok-mark" },
]));
