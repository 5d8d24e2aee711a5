const related = document.createElement("pagekin-related");
related.setAttribute("limit", "5");
document.querySelector("main").append(related);
