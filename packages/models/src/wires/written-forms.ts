import { createHash } from 'node:crypto'

/** Written forms of the names of a conversation's calls. A name that the provider takes always stays as it is. */
export interface WrittenNames {
  /** Returns the form of a name in an answer of the same provider, which may have made it up. */
  own(name: string): string
  /** Returns the form of a name that came by another wire. */
  foreign(name: string): string
}

/** Most characters that every API takes, of a name and of an id. */
const maxChars = 64

/**
 * Creates the forms of names for a provider that takes these. An odd name never becomes one that went out before it; a
 * name that the provider takes may be what an odd one of another wire has become.
 */
export function createWrittenNames(accepts: RegExp): WrittenNames {
  const formOf = new Map<string, string>()
  const keep = (form: string, name: string): string => {
    formOf.set(form, name)
    return form
  }
  return {
    own: (name) => (accepts.test(name) ? keep(name, name) : markedForm(name)),
    foreign(name) {
      const plain = plainForm(name).slice(0, maxChars) || 'unknown'
      const isFree = plain === name || (formOf.get(plain) ?? name) === name
      return accepts.test(plain) && isFree ? keep(plain, name) : markedForm(name)
    },
  }
}

/** Creates the forms of ids for an API that takes letters, digits, dashes and low lines; equal ids have equal forms. */
export function createWrittenIds(): (id: string) => string {
  const forms = new Map<string, string>()
  const taken = new Set<string>()
  return (id) => {
    const plain = plainForm(id)
    const form = forms.get(id) ?? (taken.has(plain) ? markedForm(id) : plain)
    forms.set(id, form)
    taken.add(form)
    return form
  }
}

/** Returns an id in at most 64 characters; a shorter one stays as it is, whatever its characters. */
export function shortForm(id: string): string {
  return id.length > maxChars ? markedForm(id) : id
}

function plainForm(given: string): string {
  return given.replace(/[^\w-]/g, '_')
}

/** Returns a form that ends with a digest of its original. */
function markedForm(given: string): string {
  const mark = createHash('sha256').update(given).digest('hex').slice(0, 8)
  const plain = plainForm(given).slice(0, maxChars - mark.length - 2)
  return `${/^[a-zA-Z_]/.test(plain) ? '' : '_'}${plain}_${mark}`
}
