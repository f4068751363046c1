import { stripEffects } from '@parley/presentation/text/control-characters'
import { formatBytes } from '@parley/presentation/text/formats'
import { errorMessage } from '@parley/text'
import { useRef, useState } from 'react'
import { readFilePart } from '../../link/read-file.ts'
import { useAccess } from './access.ts'
import { Scrolling } from './scrolling.tsx'

interface WholeTextProps {
  /** Reference of the side file. */
  readonly file: string
  readonly totalBytes: number
  /** Name of the text, for a screen reader. */
  readonly label: string
}

/** Text that the conversation has in part; its file is loaded part by part on request. */
export function WholeText({ file, totalBytes, label }: WholeTextProps) {
  const access = useAccess()
  const [loaded, setLoaded] = useState<{ readonly text: string; readonly nextOffset: number | null } | null>(null)
  const [isLoading, setLoading] = useState(false)
  // Bytes of a character may lie in two parts.
  const decoder = useRef<TextDecoder>(null)
  if (access === null) return null
  const { client, conversationId, onProblem } = access
  const load = async () => {
    if (client === null || isLoading) return
    setLoading(true)
    try {
      const offset = loaded?.nextOffset ?? 0
      if (offset === 0) decoder.current = new TextDecoder()
      const part = await readFilePart(client, { conversationId, file }, offset)
      const text = decoder.current?.decode(part.bytes, { stream: part.nextOffset !== null }) ?? ''
      setLoaded({ text: (loaded?.text ?? '') + text, nextOffset: part.nextOffset })
    } catch (error) {
      onProblem(errorMessage(error))
    } finally {
      setLoading(false)
    }
  }
  const left = loaded === null ? totalBytes : totalBytes - (loaded.nextOffset ?? totalBytes)
  return (
    <div className="whole">
      {loaded === null ? null : (
        <Scrolling className="output" label={label}>
          <pre>{stripEffects(loaded.text)}</pre>
        </Scrolling>
      )}
      {left === 0 ? null : (
        <button type="button" disabled={client === null || isLoading} onClick={() => void load()}>
          {loaded === null ? `Load all of it, ${formatBytes(totalBytes)}` : `Load more, ${formatBytes(left)} left`}
        </button>
      )}
    </div>
  )
}
