// Calls in the pages are written for an example address where the service does not know its own: here they get the one
// that the reader came by.

for (const code of document.querySelectorAll('code[data-origin]')) {
  code.textContent = code.textContent.replaceAll(code.dataset.origin, location.origin);
}
