import { showEffects } from '@parley/presentation/text/control-characters'
import { useRef } from 'react'
import { imageTypes, type PickedImage } from './images.ts'

interface RowProps {
  readonly images: readonly PickedImage[]
  readonly onDrop: (image: PickedImage) => void
}

/** The images that go with the message, each with the way to take it out. */
export function ImageRow({ images, onDrop }: RowProps) {
  if (images.length === 0) return null
  return (
    <ul className="picked" aria-label="Images of this message">
      {images.map((image) => (
        <li key={image.key}>
          <img src={image.url} alt={showEffects(image.name)} />
          <button type="button" aria-label={`Take out ${showEffects(image.name)}`} onClick={() => onDrop(image)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Opens the chooser of files for images. */
export function PickButton({ onPick }: { readonly onPick: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={imageTypes.join(',')}
        aria-label="Images"
        onChange={({ target }) => {
          onPick([...(target.files ?? [])])
          // The same file can be chosen again.
          target.value = ''
        }}
      />
      <button type="button" onClick={() => input.current?.click()}>
        Image
      </button>
    </>
  )
}
