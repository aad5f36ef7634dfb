/** For each text node that a browser translation has removed, the element inserted in its place. */
const replaced = new WeakMap<Node, Element>()

const isTranslation = (node: Node | null | undefined): node is Element => node?.nodeName === 'FONT'

/** The child of `parent` that has replaced or wrapped a node React put there; otherwise the node itself. */
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
      // React updates the text node that it created: put that back in place of the translation.
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

/** Lets React survive browser translations that move its text nodes: https://github.com/facebook/react/issues/11538 */
export function patchDomForTranslation() {
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
