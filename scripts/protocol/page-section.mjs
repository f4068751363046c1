/** Returns a page with the text of one section, between its marks, written anew. Throws if the page lacks the section. */
export function withSection(page, name, text) {
  const section = new RegExp(`(<!-- ${name}: .*?-->\\n).*(<!-- end of ${name} -->)`, 's')
  if (!section.test(page)) throw new Error(`The page has no section of ${name}`)
  return page.replace(section, (_, begin, end) => `${begin}${text}\n${end}`)
}
