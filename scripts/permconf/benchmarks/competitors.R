# Seconds per permutation and mean AUC of glm, randomForest and ranger, each followed by pROC's AUC.
# Usage: Rscript competitors.R PREFIX N_GLM N_RANDOMFOREST N_RANGER
args <- commandArgs(trailingOnly = TRUE)
read <- function(name) as.matrix(read.csv(paste0(args[1], "_", name, ".csv"), header = FALSE))
x_train <- read("x_train"); x_test <- read("x_test"); y_train <- read("y_train"); y_test <- read("y_test")
colnames(x_train) <- colnames(x_test) <- paste0("f", seq_len(ncol(x_train)))
suppressMessages({library(pROC); library(randomForest); library(ranger)})
auc <- function(y, score) as.numeric(pROC::auc(y, score, direction = "<", levels = c(0, 1), quiet = TRUE))
glm_score <- function(k) {
  train <- data.frame(y = y_train[, k], x_train)
  predict(glm(y ~ ., data = train, family = binomial), data.frame(x_test))
}
randomForest_score <- function(k) {
  fit <- randomForest::randomForest(x_train, factor(y_train[, k]), ntree = 500)
  predict(fit, x_test, type = "prob")[, "1"]
}
ranger_score <- function(k) {
  fit <- ranger::ranger(x = x_train, y = factor(y_train[, k]), num.trees = 500, probability = FALSE, num.threads = 1)
  rowMeans(predict(fit, x_test, predict.all = TRUE, num.threads = 1)$predictions == 2)
}
measure <- function(score, b) {
  auc(y_test[, 1], score(1))
  values <- numeric(b)
  seconds <- system.time(for (k in seq_len(b)) values[k] <- auc(y_test[, k], score(k)))[["elapsed"]]
  sprintf('{"seconds": %.9f, "auc": %.9f}', seconds / b, mean(values))
}
b <- as.integer(args[-1])
cat(sprintf('{"glm": %s, "randomForest": %s, "ranger": %s}',
            measure(glm_score, b[1]), measure(randomForest_score, b[2]), measure(ranger_score, b[3])))
