const related = document.createElement("pagekin-related");
related.setAttribute("limit", "5");
document.querySelector("main").append(related);
const box = document.createElement("pagekin-box");
box.setAttribute("form", "compact");
box.setAttribute("shortcut", "mod+k");
document.querySelector(".right-buttons").prepend(box);
