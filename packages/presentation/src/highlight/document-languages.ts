import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import graphql from 'highlight.js/lib/languages/graphql'
import ini from 'highlight.js/lib/languages/ini'
import json from 'highlight.js/lib/languages/json'
import makefile from 'highlight.js/lib/languages/makefile'
import markdown from 'highlight.js/lib/languages/markdown'
import scss from 'highlight.js/lib/languages/scss'
import sql from 'highlight.js/lib/languages/sql'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import type { Language } from './language.ts'

/** Languages of documents, data, queries and builds. */
export const documentLanguages: Readonly<Record<string, Language>> = {
  css: { grammar: css, names: '' },
  diff: { grammar: diff, names: 'patch' },
  dockerfile: { grammar: dockerfile, names: 'docker containerfile', within: ['bash'] },
  graphql: { grammar: graphql, names: 'gql' },
  ini: { grammar: ini, names: 'toml cfg conf editorconfig properties gitconfig env' },
  json: { grammar: json, names: 'jsonc json5 jsonl webmanifest' },
  makefile: { grammar: makefile, names: 'make mk mak' },
  markdown: { grammar: markdown, names: 'md mdx mkd' },
  scss: { grammar: scss, names: 'sass less' },
  sql: { grammar: sql, names: 'psql mysql sqlite postgres' },
  xml: { grammar: xml, names: 'html htm xhtml svg vue svelte plist xsd xsl', within: ['css', 'javascript'] },
  yaml: { grammar: yaml, names: 'yml' },
}
