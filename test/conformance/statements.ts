import { test as base } from '../support/page/kit.ts'

/** Says how ToolBox behaves and looks whether it does. */
export type Holds = (sentence: string, look: () => Promise<void>) => Promise<void>

/** A browser with `holds`: what one statement finds wrong hides none of those after it. */
export const test = base.extend<{ holds: Holds }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names in the braces
  holds: async ({}, use) => {
    const wrong: string[] = []
    await use((sentence, look) =>
      base.step(sentence, look).catch((error: Error) => void wrong.push(`${sentence}\n${error.stack}`)),
    )
    if (wrong.length > 0) throw new Error(wrong.join('\n\n'))
  },
})
