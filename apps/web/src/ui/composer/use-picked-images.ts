import { errorMessage } from '@parley/text'
import { useState } from 'react'
import { type PickedImage, pickImages } from './images.ts'

/** Images that go with the next message. */
export interface PickedImages {
  readonly images: readonly PickedImage[]
  readonly pick: (files: readonly File[]) => void
  readonly drop: (images: readonly PickedImage[]) => void
}

export function usePickedImages(onProblem: (problem: string) => void): PickedImages {
  const [images, setImages] = useState<readonly PickedImage[]>([])
  return {
    images,
    pick(files) {
      pickImages(files, images).then(
        (picked) => {
          setImages((before) => [...before, ...picked.images])
          if (picked.problems.length > 0) onProblem(picked.problems.join(' '))
        },
        (error: unknown) => onProblem(errorMessage(error)),
      )
    },
    drop: (dropped) => setImages((before) => before.filter((image) => !dropped.includes(image))),
  }
}
