/** The element that a translation has put in the place of a text, unless it still holds that text. */
const replaced = new WeakMap<Node, Element>()

const isTranslation = (node: Node | null | undefined): node is Element => node?.nodeName === 'FONT'

/** What stands in `parent` in the place of what React has put there. */
function standsFor<T extends Node>(node: T, parent: Node): T | Element {
  let stands: Node = replaced.get(node) ?? node
  while (stands.parentNode && stands.parentNode !== parent && isTranslation(stands.parentNode))
    stands = stands.parentNode
  return stands.parentNode === parent ? (stands as T | Element) : node
}

function noteReplaced({ addedNodes, removedNodes, previousSibling, nextSibling }: MutationRecord) {
  const translation = [...addedNodes, previousSibling, nextSibling].find(isTranslation)
  if (!translation) return
  for (const text of removedNodes)
    if (text instanceof Text && !text.parentNode) {
      replaced.set(text, translation)
      // React writes into the text that it made.
      Object.defineProperty(text, 'nodeValue', {
        configurable: true,
        set(value: string) {
          Reflect.deleteProperty(text, 'nodeValue')
          replaced.delete(text)
          if (translation.isConnected) translation.replaceWith(text)
          text.nodeValue = value
        },
      })
    }
}

/**
 * Lets React go on after a browser's translation has replaced texts or wrapped them into `<font>`: what React then removes,
 * or puts something before, is no longer where React left it. https://github.com/facebook/react/issues/11538
 */
export function outliveTranslation() {
  new MutationObserver((records) => records.forEach(noteReplaced)).observe(document, { childList: true, subtree: true })
  const { removeChild, insertBefore } = Node.prototype
  Node.prototype.removeChild = function <T extends Node>(child: T) {
    const stands = standsFor(child, this)
    if (stands.parentNode === this) removeChild.call(this, stands)
    return child
  }
  Node.prototype.insertBefore = function <T extends Node>(child: T, before: Node | null) {
    const stands = before && standsFor(before, this)
    return insertBefore.call(this, child, stands?.parentNode === this ? stands : null) as T
  }
}
