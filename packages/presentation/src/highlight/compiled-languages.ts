import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import dart from 'highlight.js/lib/languages/dart'
import go from 'highlight.js/lib/languages/go'
import haskell from 'highlight.js/lib/languages/haskell'
import java from 'highlight.js/lib/languages/java'
import kotlin from 'highlight.js/lib/languages/kotlin'
import rust from 'highlight.js/lib/languages/rust'
import scala from 'highlight.js/lib/languages/scala'
import swift from 'highlight.js/lib/languages/swift'
import type { Language } from './language.ts'

/** Languages that are compiled before they run. */
export const compiledLanguages: Readonly<Record<string, Language>> = {
  c: { grammar: c, names: 'h' },
  cpp: { grammar: cpp, names: 'c++ cc cxx hpp hh hxx ino' },
  csharp: { grammar: csharp, names: 'cs c#' },
  dart: { grammar: dart, names: '' },
  go: { grammar: go, names: 'golang' },
  haskell: { grammar: haskell, names: 'hs' },
  java: { grammar: java, names: '' },
  kotlin: { grammar: kotlin, names: 'kt kts gradle' },
  rust: { grammar: rust, names: 'rs' },
  scala: { grammar: scala, names: 'sc sbt' },
  swift: { grammar: swift, names: '' },
}
